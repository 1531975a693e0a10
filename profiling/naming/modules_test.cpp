#include "profiling/naming/modules.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "profiling/naming/memory_copy.hpp"
#include "profiling/naming/module_symbols.hpp"
#include "profiling/naming/process_maps.hpp"
#include "profiling/naming/symbol_naming.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::pprof {
namespace {

using testing::Contains;
using testing::Field;
using testing::Not;

const auto path_is = [](const std::string& path) { return Field("path", &MappedModule::path, path); };

/// Loads a copy of the plugin, and finds its code.
struct Loaded {
  explicit Loaded(const std::string& path)
      : handle(::dlopen(path.c_str(), RTLD_NOW)),
        code(handle == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(::dlsym(handle, "sc_plugin_work"))) {}
  void* handle;
  std::uintptr_t code;
};

TEST(ParseMaps, ReadsWhatTheKernelWrites) {
  struct Row {
    std::string_view text;
    MapsLine want;
    bool is_file;
  };
  const Row rows[] = {
      {"7f00-8f00 r-xp 00001000 fe:01 1234      /usr/lib/x.so\n",
       {0x7f00, 0x8f00, true, 0x1000, 1234, "/usr/lib/x.so"},
       true},
      {"7f00-8f00 r--p 00000000 00:00 0\n", {0x7f00, 0x8f00, false, 0, 0, ""}, false},
      {"7f00-8f00 r-xp 00000000 00:00 0 \n", {0x7f00, 0x8f00, true, 0, 0, ""}, false},
      {"7f00-8f00 --xp 00000000 00:00 0   [vsyscall]", {0x7f00, 0x8f00, true, 0, 0, "[vsyscall]"}, false},
      {"7f00-8f00 r-xs 00000000 00:01 7   /memfd:a b (deleted)\n",
       {0x7f00, 0x8f00, true, 0, 7, "/memfd:a b (deleted)"},
       false},
      {"7f00-8f00 r-xp 00000000 fe:01 9  /opt/my app/x.so (deleted)\n",
       {0x7f00, 0x8f00, true, 0, 9, "/opt/my app/x.so (deleted)"},
       true},
  };
  for (const Row& r : rows) {
    const auto lines = parse_maps(r.text);
    ASSERT_EQ(lines.size(), 1u) << r.text;
    const MapsLine &got = lines[0], &want = r.want;
    EXPECT_EQ(std::tie(got.begin, got.end, got.is_executable, got.offset, got.inode, got.path),
              std::tie(want.begin, want.end, want.is_executable, want.offset, want.inode, want.path));
    EXPECT_EQ(got.is_file(), r.is_file) << r.text;
  }
}

TEST(ParseMaps, LeavesOutWhatIsNoLine) {
  for (const char* text :
       {"", "\n", "7f00", "7f00-8f00", "7f00-8f00 r-x 0 0:0 0\n", "9f00-8f00 r-xp 0 0:0 0\n",
        "7f00-8f00 r-xp zz 0:0 0\n", "7f00-8f00 r-xp 0 0:0 q\n", "fffffffffffffffff-1 r-xp 0 0:0 0\n"})
    EXPECT_TRUE(parse_maps(text).empty()) << text;
}

TEST(MappedModules, BeginsWithTheProgramAndNamesEachOnce) {
  const auto modules = mapped_modules();
  ASSERT_GT(modules.size(), 3u);
  EXPECT_EQ(modules[0].path, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(modules[0].build_id.size(), 40u);
  std::set<std::string> paths;
  for (const MappedModule& m : modules) {
    EXPECT_TRUE(paths.insert(m.path).second) << m.path;
    EXPECT_LT(m.begin, m.end);
    EXPECT_NE(m.path.front(), '[') << "Go's clients never ask for these (T19)";
  }
  EXPECT_THAT(modules, Contains(path_is("/vdso")));
  // Each as /proc/self/maps has it.
  for (const MapsLine& line : read_maps()) {
    if (!line.is_executable || !line.is_file()) continue;
    const auto at = std::ranges::find(modules, line.begin, &MappedModule::begin);
    ASSERT_NE(at, modules.end()) << line.path;
    EXPECT_EQ(at->file_offset, line.offset);
  }
}

TEST(MappedModules, GivesGeneratedCodeNamesOfItsOwn) {  // T20
  const auto page = static_cast<std::size_t>(::getpagesize());
  const auto map = [&](int rights) {
    return reinterpret_cast<std::uintptr_t>(::mmap(nullptr, 4 * page, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  };
  const std::uintptr_t first = map(PROT_EXEC | PROT_READ);
  const std::uintptr_t gap = map(PROT_NONE);  // keeps the two apart
  const std::uintptr_t second = map(PROT_EXEC | PROT_READ | PROT_WRITE);
  const auto modules = mapped_modules();
  const auto module_at = [&](std::uintptr_t address) {
    const auto has_it = [&](const MappedModule& m) { return m.begin <= address && address < m.end; };
    const auto at = std::ranges::find_if(modules, has_it);
    return at == modules.end() ? "none" : at->path;
  };
  EXPECT_THAT(module_at(first), testing::StartsWith("/anon/"));
  EXPECT_THAT(module_at(second), testing::StartsWith("/anon/"));
  EXPECT_NE(module_at(first), module_at(second));
  EXPECT_THAT(module_at(gap), Not(testing::StartsWith("/anon/")));
  for (const std::uintptr_t at : {first, gap, second}) ::munmap(reinterpret_cast<void*>(at), 4 * page);
}

TEST(MappedModules, RemembersUnloadedOnesUntilTheirPlaceIsTaken) {
  const TempFolder folder;
  const std::string path = folder.path() / "plugin.so";
  std::filesystem::copy(SC_PROFILING_PLUGIN, path);
  Loaded plugin(path);
  ASSERT_NE(plugin.code, 0u);
  EXPECT_THAT(mapped_modules(), Contains(path_is(path)));
  ::dlclose(plugin.handle);
  Dl_info info{};
  ASSERT_EQ(::dladdr(reinterpret_cast<void*>(plugin.code), &info), 0) << "it is still there";
  EXPECT_THAT(mapped_modules(), Contains(path_is(path)));

  const auto page = static_cast<std::size_t>(::getpagesize());
  void* const place = reinterpret_cast<void*>(plugin.code & ~(page - 1));
  ASSERT_EQ(::mmap(place, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
            place);
  EXPECT_THAT(mapped_modules(), Not(Contains(path_is(path))));
  ::munmap(place, page);
  EXPECT_THAT(mapped_modules(), Not(Contains(path_is(path))));
}

TEST(MappedModules, ForgetsTheOldestOfMany) {
  const TempFolder folder;
  ModuleRegistry registry;
  std::size_t most = 0;
  for (std::size_t i = 0; i < ModuleRegistry::kMaxUnloaded + 10; ++i) {
    const std::string path = folder.path() / (std::to_string(i) + ".so");
    std::filesystem::create_symlink(SC_PROFILING_PLUGIN, path);
    Loaded plugin(path);
    registry.refreshed();
    ::dlclose(plugin.handle);
    most = std::max(most, registry.refreshed()->size());
  }
  EXPECT_LT(most, ModuleRegistry::kMaxUnloaded + 100);
}

TEST(ModuleRegistry, LooksAnewOnlyWhenSomethingWasLoaded) {
  ModuleRegistry registry;
  const auto first = registry.recent();
  EXPECT_EQ(registry.recent(), first);
  Loaded plugin(SC_PROFILING_PLUGIN);
  const auto second = registry.recent();
  EXPECT_NE(second, first);
  ASSERT_NE(find_mapping(*second, plugin.code), nullptr);
  EXPECT_EQ(registry.recent(), second);
  EXPECT_EQ(registry.refreshed(), second);
  ::dlclose(plugin.handle);
  EXPECT_NE(find_mapping(*registry.recent(), plugin.code), nullptr);  // remembered
}

TEST(CopyFromMemory, HasWhatTheDynamicLinkerUses) {
  Loaded plugin(SC_PROFILING_PLUGIN);
  const auto mappings = ModuleRegistry::of_process().refreshed();
  CodeMapping mapping = *find_mapping(*mappings, plugin.code);
  mapping.files.clear();  // as if it had been deleted, and there were no right to the kernel's link
  const auto symbols = ModuleSymbols::load(mapping, {});
  EXPECT_EQ(symbols->name(mapping, plugin.code), "sc_plugin_work");
  ::dlclose(plugin.handle);
  EXPECT_EQ(copy_from_memory(mapping), nullptr);
  EXPECT_EQ(ModuleSymbols::load(mapping, {})->name(mapping, plugin.code), "[libprofiling_plugin.so]");
}

TEST(Storm, NamingWhileModulesComeAndGo) {
  const TempFolder folder;
  std::vector<std::string> copies;
  for (int i = 0; i < 4; ++i) {
    copies.push_back(folder.path() / (std::to_string(i) + ".so"));
    std::filesystem::copy(SC_PROFILING_PLUGIN, copies.back());
  }
  const auto naming = symbol_table_naming({.cache = {.kept_unused = std::chrono::milliseconds(1)}});
  std::atomic<bool> is_over = false;
  std::atomic<std::uintptr_t> last_code = 0;
  std::atomic<int> named = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 300 || (named == 0 && round < 100'000); ++round) {
        Loaded plugin(copies[static_cast<std::size_t>(2 * i + round % 2)]);
        last_code = plugin.code;
        ::dlclose(plugin.handle);
      }
      is_over = true;
    });
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      do {
        const std::uintptr_t address = last_code;
        const auto frames = naming->name(std::span(&address, 1), {}).front();
        if (!frames.empty() && frames.front().function == "sc_plugin_work") ++named;
        mapped_modules();
      } while (!is_over);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(named, 0);
}

}  // namespace
}  // namespace symcached::pprof
