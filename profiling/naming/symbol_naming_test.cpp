#include "profiling/naming/symbol_naming.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiling/naming/hex_number.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::pprof {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

std::string name_at(Naming& naming, std::uintptr_t address) {
  const auto frames = naming.name(std::span(&address, 1), {}).front();
  return frames.size() == 1 ? frames.front().function : std::to_string(frames.size()) + " frames";
}

std::uintptr_t symbol_of(const char* library, const char* name) {
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  return handle == nullptr ? 0 : number(::dlsym(handle, name));
}

/// The plugin, loaded from a copy or from where it was built.
class Plugin {
 public:
  explicit Plugin(const std::string& path = SC_PROFILING_PLUGIN) : handle_(::dlopen(path.c_str(), RTLD_NOW)) {}
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  ~Plugin() { unload(); }

  explicit operator bool() const { return handle_ != nullptr; }
  std::uintptr_t work() const { return number(::dlsym(handle_, "sc_plugin_work")); }
  std::uintptr_t hidden() const {
    return number(reinterpret_cast<const void* (*)()>(::dlsym(handle_, "sc_plugin_hidden"))());
  }
  void unload() {
    if (handle_ != nullptr) ::dlclose(std::exchange(handle_, nullptr));
  }

 private:
  void* handle_;
};

[[gnu::noinline]] static int a_static_function(int x) { return x + 1; }
extern "C" [[gnu::noinline]] int sc_an_exported_function(int x) { return a_static_function(x) * 2; }

TEST(SymbolNaming, NamesCodeWhereverItIs) {
  const auto naming = symbol_table_naming();
  struct Row {
    std::string_view why;
    std::uintptr_t address;
    testing::Matcher<std::string> want;
  };
  const Row rows[] = {
      {"exported", number(reinterpret_cast<void*>(&sc_an_exported_function)), "sc_an_exported_function"},
      {"static", number(reinterpret_cast<void*>(&a_static_function)), HasSubstr("a_static_function")},
      {"C library", symbol_of("libc.so.6", "qsort"), "qsort"},
      {"weak alias with fewer underscores", symbol_of("libc.so.6", "__write"), "write"},
      {"C++ library", symbol_of("libstdc++.so.6", "_ZSt9terminatev"), "_ZSt9terminatev"},
      {"the kernel's", symbol_of("linux-vdso.so.1", "__vdso_clock_gettime"), HasSubstr("clock_gettime")},
      {"data", number(::environ), "0 frames"},
      {"null", 0, "0 frames"},
  };
  for (const Row& r : rows) EXPECT_THAT(name_at(*naming, r.address), r.want) << r.why;
  EXPECT_GT(naming->symbol_count(), 100u);
}

TEST(SymbolNaming, TheVdsoHasAllItsNames) {
  const auto naming = symbol_table_naming();
  for (const char* name : {"__vdso_clock_gettime", "__vdso_gettimeofday", "__vdso_time", "__vdso_getcpu"}) {
    const std::uintptr_t begin = symbol_of("linux-vdso.so.1", name);
    if (begin == 0) continue;  // another machine's kernel
    EXPECT_THAT(name_at(*naming, begin + 1), HasSubstr(std::string(name).substr(7)));
  }
}

TEST(SymbolNaming, KnowsModulesThatWereUnloaded) {
  const auto naming = symbol_table_naming();
  Plugin plugin;
  ASSERT_TRUE(plugin);
  const std::uintptr_t work = plugin.work(), hidden = plugin.hidden();
  mapped_modules();
  plugin.unload();
  EXPECT_EQ(name_at(*naming, work), "sc_plugin_work");
  EXPECT_THAT(name_at(*naming, hidden), HasSubstr("hidden_step"));
}

TEST(SymbolNaming, KnowsModulesWhoseFileIsGone) {
  const TempFolder folder;
  const std::filesystem::path copy = folder.path() / "a plugin.so";  // with a blank
  std::filesystem::copy(SC_PROFILING_PLUGIN, copy);
  Plugin plugin(copy);
  ASSERT_TRUE(plugin);
  std::filesystem::remove(copy);
  std::ofstream(copy) << "something else";
  EXPECT_EQ(name_at(*symbol_table_naming(), plugin.work()), "sc_plugin_work");
}

TEST(SymbolNaming, ReadsNoFileThatHasReplacedTheLoadedOne) {
  MappedModule module{0x1000, 0x100000, 0, SC_PROFILING_PLUGIN, "0123456789abcdef"};
  const auto naming = symbol_table_naming({.modules = ModuleLists::fixed({module})});
  EXPECT_EQ(name_at(*naming, 0x2000), "[" + std::filesystem::path(SC_PROFILING_PLUGIN).filename().string() + "]");
}

/// Debug files made with objcopy, as packages have them.
class SeparateDebugFile : public testing::Test {
 protected:
  void run(const std::string& command) { ASSERT_EQ(std::system(("cd " + folder() + " && " + command).c_str()), 0); }
  std::string folder() const { return folder_.path().string(); }
  std::string hidden_name(const std::vector<std::string>& debug_folders) {
    Plugin plugin(folder() + "/stripped.so");
    const auto naming = symbol_table_naming({.cache = {.debug_folders = debug_folders}});
    return plugin ? name_at(*naming, plugin.hidden()) : ::dlerror();
  }

  TempFolder folder_;
};

TEST_F(SeparateDebugFile, IsFoundByBuildIdOrLink) {
  run("cp " SC_PROFILING_PLUGIN " whole.so && objcopy --strip-all whole.so stripped.so");
  EXPECT_THAT(hidden_name({}), MatchesRegex("stripped.so\\+0x[0-9a-f]+"));  // by its frame

  run("objcopy --only-keep-debug whole.so whole.debug");
  run("id=$(readelf -n whole.so | sed -n 's/.*Build ID: //p'); rest=${id#??}; mkdir -p d/.build-id/${id%$rest} && "
      "cp whole.debug d/.build-id/${id%$rest}/$rest.debug");
  EXPECT_THAT(hidden_name({folder() + "/none", folder() + "/d"}), HasSubstr("hidden_step"));

  run("objcopy --add-gnu-debuglink=whole.debug stripped.so && rm -r d");
  EXPECT_THAT(hidden_name({}), HasSubstr("hidden_step"));
  run("mkdir -p .debug && mv whole.debug .debug/");
  EXPECT_THAT(hidden_name({}), HasSubstr("hidden_step"));
  run("mkdir -p d$PWD && mv .debug/whole.debug d$PWD/");
  EXPECT_THAT(hidden_name({folder() + "/d"}), HasSubstr("hidden_step"));
}

TEST_F(SeparateDebugFile, IsCheckedBeforeItIsBelieved) {
  run("objcopy --remove-section=.note.gnu.build-id " SC_PROFILING_PLUGIN
      " whole.so && "
      "objcopy --only-keep-debug whole.so whole.debug && "
      "objcopy --strip-all --add-gnu-debuglink=whole.debug whole.so stripped.so");
  EXPECT_THAT(hidden_name({}), HasSubstr("hidden_step"));  // by its checksum
  run("printf x >>whole.debug");
  EXPECT_THAT(hidden_name({}), StartsWith("stripped.so+0x"));
}

TEST_F(SeparateDebugFile, MayBePackedIntoTheFile) {
  run("cp " SC_PROFILING_PLUGIN
      " whole.so && objcopy --only-keep-debug --strip-debug whole.so mini && "
      "rm -f mini.xz && xz mini && objcopy --strip-all --add-section .gnu_debugdata=mini.xz whole.so stripped.so");
  EXPECT_THAT(hidden_name({}), HasSubstr("hidden_step"));
}

TEST(SymbolNaming, NamesGeneratedCode) {
  const TempFolder folder;
  const std::string map = folder.path() / "perf.map";
  const std::size_t page = static_cast<std::size_t>(::getpagesize());
  void* const code = ::mmap(nullptr, 2 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(code, MAP_FAILED);
  const auto naming = symbol_table_naming({.jit_map = [&] { return map; }});
  EXPECT_EQ(name_at(*naming, number(code)), "[anon]");
  const auto line = [&](std::size_t offset, std::string_view rest) {
    std::ofstream(map, std::ios::app) << hex_number(number(code) + offset) << ' ' << rest;
  };
  line(0x10, "20 first\n");
  EXPECT_EQ(name_at(*naming, number(code) + 0x2f), "first");
  EXPECT_EQ(name_at(*naming, number(code) + 0x30), "[anon]");
  line(0x20, "10 void Second::call(int)\n");  // in its place
  EXPECT_EQ(name_at(*naming, number(code) + 0x2f), "void Second::call(int)");
  line(0x100, "10 half a li");
  EXPECT_EQ(name_at(*naming, number(code) + 0x100), "[anon]");
  std::ofstream(map, std::ios::app) << "ne\n";
  EXPECT_EQ(name_at(*naming, number(code) + 0x100), "half a line");
  ::munmap(code, 2 * page);
}

TEST(SymbolCache, DropsWhatIsNotUsed) {
  SymbolCache cache({.memory = 1});
  const auto modules = ModuleRegistry::of_process().refreshed();
  const auto& program = modules->front();
  EXPECT_GT(cache.get(program)->symbol_count(), 100u);
  const CodeMapping other = CodeMapping::of({.end = 1, .path = SC_PROFILING_PLUGIN});
  EXPECT_GT(cache.get(other)->symbol_count(), 1u);
  EXPECT_LT(cache.memory(), 100'000u);  // the plugin alone

  SymbolCache forgetful({.kept_unused = std::chrono::milliseconds(-1)});
  const auto first = forgetful.get(other);
  EXPECT_NE(forgetful.get(other), first);
  SymbolCache keeping;
  EXPECT_EQ(keeping.get(other), keeping.get(other));
}

}  // namespace
}  // namespace symcached::pprof
