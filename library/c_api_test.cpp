#include <gtest/gtest.h>
#include <symcached/symcached.hpp>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <thread>

#include "base/bytes.hpp"
#include "testing/caches/answering_modules.hpp"
#include "testing/elf/image.hpp"
#include "testing/macho/image.hpp"
#include "testing/managed/dotnet_files.hpp"
#include "testing/managed/portable_pdb.hpp"
#include "testing/packed/files.hpp"
#include "testing/pdb/rich_pdb.hpp"
#include "testing/pe/image.hpp"
#include "testing/stored_inputs.hpp"
#include "testing/temp_folder.hpp"
#include "testing/wasm/image.hpp"

namespace {

using symcached::Answer;
using symcached::as_text;
using symcached::LookupOptions;
using symcached::Module;
namespace testkit = symcached::testkit;

std::string native_cache() { return std::string(as_text(testkit::write(testkit::answering_functions()))); }
std::string managed_cache() { return std::string(as_text(testkit::write(testkit::small_assembly()))); }

Module opened(std::string_view bytes) {
  std::string why;
  auto module = Module::open_bytes(bytes, &why);
  if (!module) throw std::runtime_error(why);
  return *std::move(module);
}

std::string text_of(const Answer& answer) {
  std::string text;
  for (const symcached::Frame& f : answer) {
    text.append(f.function).append(" at ").append(f.file);
    text += ":" + std::to_string(f.line) + ":" + std::to_string(f.column) + (f.is_inlined ? " <- " : "");
  }
  return text;
}

TEST(Library, AnswersOfNativeCode) {
  const Module module = opened(native_cache());
  LookupOptions brief, linkage, recorded, nameless, outermost;
  brief.parameters = false;
  linkage.linkage_names = true;
  recorded.demangle = false;
  nameless.names = false;
  outermost.inlines = false;
  struct Row {
    std::uint64_t address;
    LookupOptions options;
    std::string_view want;
  };
  const Row rows[] = {
      {0x1000, {}, R"(ns::outer(int) at C:\src\a "b".cpp:10:1)"},
      {0x1004, {}, R"(void std::get<int>() at /usr/include/utility:3:0 <- ns::outer(int) at C:\src\a "b".cpp:12:5)"},
      {0x1004, outermost, R"(ns::outer(int) at C:\src\a "b".cpp:12:5)"},
      {0x1000, brief, R"(ns::outer at C:\src\a "b".cpp:10:1)"},
      {0x1000, linkage, R"(ns::outer(long) at C:\src\a "b".cpp:10:1)"},
      {0x1000, recorded, R"(_ZN2ns5outerEi at C:\src\a "b".cpp:10:1)"},
      {0x1000, nameless, R"( at C:\src\a "b".cpp:10:1)"},
      {0x2000, {}, "plain at :0:0"},
      {0x4000, {}, ""},
      {~std::uint64_t{0}, {}, ""},
  };
  Answer answer;
  for (const Row& r : rows) {
    module.lookup(r.address, answer, r.options);
    EXPECT_EQ(text_of(answer), r.want) << r.address;
  }
  module.lookup(0x1004, answer);
  EXPECT_EQ(answer.frames()[0].function_start, 0x1000u);
  EXPECT_EQ(answer.frames()[0].function_size, 0x20u);
  EXPECT_EQ(answer.frames()[0].language, "c++");
  EXPECT_TRUE(module.lookup_method(1, 0, answer).empty());
  EXPECT_FALSE(module.is_managed());
  EXPECT_FALSE(module.image_base()) << "a cache does not say";
}

TEST(Library, AnswersOfManagedCode) {
  const Module module = opened(managed_cache());
  Answer answer;
  EXPECT_TRUE(module.is_managed());
  module.lookup_method(0x06000001, 2, answer);
  EXPECT_EQ(text_of(answer), "App.Program.Main at /src/App/Program.cs:13:13");
  EXPECT_EQ(answer.frames()[0].language, "c#");
  module.lookup_method(2, 31, answer);
  EXPECT_EQ(text_of(answer), "App.Program.LoadAsync at /src/App/Program.cs:21:9");
  EXPECT_TRUE(module.lookup(0x1000, answer).empty());
  EXPECT_EQ(module.debug_id(), "000102030405060708090A0B0C0D0E0Fc0ffee11");
}

TEST(Library, OpensFilesAndBytes) {
  const symcached::TempFolder folder;
  const std::string elf(as_text(assemble(testkit::rich_elf({}))));
  folder.write("program", elf);
  const auto from_file = Module::open((folder.path() / "program").string());
  ASSERT_TRUE(from_file);
  const Module from_bytes = opened(elf);
  EXPECT_EQ(from_file->cache(), from_bytes.cache());
  EXPECT_TRUE(from_bytes.image_base());
  EXPECT_EQ(opened(from_bytes.cache()).cache(), from_bytes.cache()) << "its cache is as good as the file";
  EXPECT_EQ(opened(as_text(testkit::gzipped(symcached::as_bytes(elf)))).cache(), from_bytes.cache());
}

TEST(Library, SaysWhyItDidNotOpen) {
  std::string why;
  EXPECT_FALSE(Module::open("/nowhere/at/all", &why));
  EXPECT_TRUE(why.starts_with("cannot open /nowhere/at/all: ")) << why;
  EXPECT_FALSE(Module::open_bytes("no debug file", &why));
  EXPECT_EQ(why, "unrecognized format");
  EXPECT_FALSE(Module::open_bytes("", &why));
  symcached::OpenOptions small;
  small.max_unpacked = 10;
  const auto packed = testkit::gzipped(symcached::as_bytes(native_cache()));
  EXPECT_FALSE(Module::open_bytes(as_text(packed), &why, small));
  EXPECT_FALSE(Module::open("/nowhere"));
}

TEST(Library, WarnsOfPoorAnswers) {
  const symcached::TempFolder folder;
  folder.write("app.dll", testkit::dotnet_file("release", "Traces.dll"));
  const auto module = Module::open((folder.path() / "app.dll").string());
  ASSERT_TRUE(module);
  ASSERT_EQ(module->warnings().size(), 1u);
  EXPECT_TRUE(module->warnings()[0].ends_with("app.dll: no usable PDB; files and lines are unknown"));
  EXPECT_TRUE(opened(native_cache()).warnings().empty());
}

TEST(Library, ErrorsFitTheirBuffers) {
  const auto error_of = [](const char* path, std::size_t size) {
    std::string buffer(size + 1, '#');
    EXPECT_EQ(symcached_open(path, nullptr, buffer.data(), size), nullptr);
    EXPECT_EQ(buffer[size], '#') << "is not the library's";
    return std::string(buffer.c_str(), size == 0 ? 0 : std::char_traits<char>::length(buffer.c_str()));
  };
  EXPECT_EQ(error_of("/nö", 0), "");
  EXPECT_EQ(error_of("/nö", 1), "");
  EXPECT_EQ(error_of("/nö", 16), "cannot open /n") << "a character is not cut";
  EXPECT_EQ(error_of("/nö", 17), "cannot open /nö");
  EXPECT_TRUE(error_of("/nö", 200).starts_with("cannot open /nö: "));
  EXPECT_EQ(symcached_open("/nowhere", nullptr, nullptr, 0), nullptr);
}

TEST(Library, OptionsOfAnotherVersion) {
  const std::string cache = native_cache();
  struct Longer {
    symcached_open_options known;
    std::uint64_t unknown;
  } longer{};
  longer.known.struct_size = sizeof(longer);
  symcached_open_options shorter{};
  shorter.struct_size = sizeof(std::size_t);
  shorter.max_unpacked = 1;  // beyond what the caller knows
  const symcached_open_options* const both[] = {&longer.known, &shorter};
  for (const symcached_open_options* const options : both) {
    symcached_module* const module = symcached_open_bytes(cache.data(), cache.size(), options, nullptr, 0);
    EXPECT_NE(module, nullptr);
    symcached_close(module);
  }
}

TEST(Library, NothingIsFine) {
  symcached_close(nullptr);
  symcached_answer_free(nullptr);
  const std::string cache = native_cache();
  symcached_module* const module = symcached_open_bytes(cache.data(), cache.size(), nullptr, nullptr, 0);
  EXPECT_EQ(symcached_lookup(module, 0x1000, 0, nullptr), -1) << "the answer could not be made";
  symcached_close(module);
  EXPECT_EQ(symcached_abi_version(), std::uint32_t{SYMCACHED_ABI_VERSION});
}

TEST(Library, ManyThreadsAskOneModule) {
  constexpr int kThreads = 8, kRounds = 200;
  const Module native = opened(native_cache()), managed = opened(managed_cache());
  const auto all_answers = [&] {
    Answer answer;
    std::string all;
    for (std::uint64_t address = 0xFF0; address < 0x1030; ++address) {
      native.lookup(address, answer);
      all += text_of(answer) + "\n";
      managed.lookup_method(static_cast<std::uint32_t>(address % 210), 30, answer);
      all += text_of(answer) + "\n";
    }
    return all;
  };
  const std::string want = all_answers();
  std::vector<int> wrong(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        for (int round = 0; round < kRounds; ++round) wrong[i] += all_answers() == want ? 0 : 1;
      });
  }
  EXPECT_EQ(wrong, std::vector<int>(kThreads));
}

std::string content_of(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Library, ExportsWhatItsHeaderDeclares) {
  const auto names_in = [](const std::string& text, const char* pattern) {
    std::set<std::string> names;
    const std::regex one(pattern);
    for (auto at = std::sregex_iterator(text.begin(), text.end(), one); at != std::sregex_iterator(); ++at)
      names.insert((*at)[1]);
    return names;
  };
  const auto declared = names_in(content_of("include/symcached/symcached.h"), R"(\n[a-z][^\n]*?[ *](symcached_\w+)\()");
  EXPECT_EQ(declared, names_in(content_of("library/symbols.map"), R"(\n    (symcached_\w+);)"));
  EXPECT_EQ(declared.size(), 18u);
}

TEST(LibraryFuzzCorpus, IsWhatTheAssemblersMake) {
  const auto cut = [](std::vector<std::byte> whole) {
    whole.resize(whole.size() * 2 / 3);
    return whole;
  };
  const testkit::StoredInput inputs[] = {
      {"symcache", testkit::write(testkit::answering_functions())},
      {"symcache_cut", cut(testkit::write(testkit::answering_functions()))},
      {"ppdbcache", testkit::write(testkit::small_assembly())},
      {"ppdbcache_cut", cut(testkit::write(testkit::small_assembly()))},
      {"elf", assemble(testkit::rich_elf({}))},
      {"macho", assemble(testkit::rich_macho(true, false))},
      {"wasm", assemble(testkit::rich_wasm())},
      {"pdb", assemble(testkit::rich_pdb())},
      {"pe", assemble(testkit::rich_image(true)).finish()},
      {"ppdb", assemble(testkit::rich_pdb_spec()).finish()},
      {"breakpad.gz", testkit::gzipped(symcached::as_bytes(std::string_view("MODULE Linux x86 0 a\nPUBLIC 10 0 f\n")))},
  };
  testkit::expect_stored("library/fuzz_corpus/c_api_fuzz", inputs);
}

}  // namespace
