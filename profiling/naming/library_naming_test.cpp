#include "profiling/naming/library_naming.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "profiling/naming/symbol_naming.hpp"
#include "testing/temp_folder.hpp"

// A libsymcached that has every module's code as one function with one inlined call.
struct symcached_module {
  std::string path;
};
struct symcached_answer {
  std::vector<symcached_frame> frames;
};

namespace symcached::pprof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Calls {
  std::mutex mutex;
  std::vector<std::string> opened;
  std::string asked_for, asked_with_token;
  bool fails = false, warns = false;
  std::atomic<int> open_modules = 0, open_answers = 0;
};
Calls& calls() {
  static Calls all;
  return all;
}

symcached_text text(std::string_view from) { return {from.data(), from.size()}; }

symcached_module* fake_open(const char* path, const symcached_open_options*, char*, std::size_t) {
  const std::lock_guard lock(calls().mutex);
  calls().opened.emplace_back(path);
  if (calls().fails) return nullptr;
  ++calls().open_modules;
  return new symcached_module{path};
}
void fake_close(symcached_module* module) {
  --calls().open_modules;
  delete module;
}
const void* fake_cache(const symcached_module*, std::size_t* size) {
  *size = 9;
  return "a symcache";
}
const char* fake_warning(const symcached_module*, std::size_t index) {
  return calls().warns && index == 0 ? "no debug file" : nullptr;
}
symcached_answer* fake_answer_new() {
  ++calls().open_answers;
  return new symcached_answer;
}
void fake_answer_free(symcached_answer* answer) {
  calls().open_answers -= answer == nullptr ? 0 : 1;
  delete answer;
}
int fake_lookup(const symcached_module*, std::uint64_t address, std::uint32_t flags, symcached_answer* answer) {
  answer->frames.clear();
  const auto add = [&](std::string_view function, std::uint32_t line, std::uint32_t is_inlined) {
    answer->frames.push_back({.function = text((flags & SYMCACHED_NO_NAMES) != 0 ? "" : function),
                              .file = text("file.cpp"),
                              .function_start = 7,
                              .line = line,
                              .is_inlined = is_inlined});
  };
  if ((flags & SYMCACHED_NO_INLINES) == 0) add("inner", 30, 1);
  add("_Z5outerv", address == 7 ? 10 : 20, 0);
  return static_cast<int>(answer->frames.size());
}
const symcached_frame* fake_frames(const symcached_answer* answer) { return answer->frames.data(); }

int fake_fetch(const char* sources, const char* build_id, const char* directory, std::uint32_t, char* path,
               std::size_t path_size, char*, std::size_t) {
  calls().asked_for = std::string(sources) + " for " + build_id;
  const std::string fetched = std::string(directory) + "/fetched.debug";
  std::snprintf(path, path_size, "%s", fetched.c_str());
  return SYMCACHED_FETCHED;
}

/// Has nothing.
int fake_fetch_with(const char* sources, const char*, const char*, const symcached_fetch_options* options, char*,
                    std::size_t, char*, std::size_t) {
  calls().asked_with_token = std::string(sources) + " with " + options->bearer_token;
  return SYMCACHED_NOT_THERE;
}

constexpr LibraryFunctions kFake{fake_open,        fake_close,  fake_cache,  fake_warning, fake_answer_new,
                                 fake_answer_free, fake_lookup, fake_frames, fake_fetch,   fake_fetch_with};

class LibraryNames : public testing::Test {
 protected:
  LibraryNames() {
    calls().opened.clear();
    calls().asked_for.clear();
    calls().asked_with_token.clear();
    options_.servers.clear();
    options_.token.clear();
    options_.sources.clear();
    calls().fails = calls().warns = false;
    options_.functions = kFake;
    options_.cache_folder.clear();
  }
  LibraryNaming make() { return {symbol_table_naming(), options_}; }
  std::vector<NamedFrame> ask(Naming& naming, NamingOptions how) {
    return naming.name(std::span(&address_, 1), how).front();
  }
  std::vector<NamedFrame> ask_twice(LibraryNaming& naming, NamingOptions how) {
    ask(naming, how);
    EXPECT_TRUE(naming.wait_until_idle(std::chrono::minutes(1)));
    return ask(naming, how);
  }

  LibraryNamingOptions options_;
  const std::uintptr_t address_ = reinterpret_cast<std::uintptr_t>(&fake_frames);
};

TEST_F(LibraryNames, AnswersFromTablesUntilTheSymcacheIsThere) {
  LibraryNaming naming = make();
  const auto first = ask(naming, {.inlines = true, .lines = true});
  ASSERT_EQ(first.size(), 1u);
  EXPECT_THAT(first[0].function, HasSubstr("fake_frames"));
  ASSERT_TRUE(naming.wait_until_idle(std::chrono::minutes(1)));
  EXPECT_THAT(ask(naming, {.inlines = true, .lines = true}),
              ElementsAre(NamedFrame{"inner", "file.cpp", 30, 0}, NamedFrame{"_Z5outerv", "file.cpp", 20, 10}));
  EXPECT_THAT(ask(naming, {.inlines = true}), ElementsAre(NamedFrame{"inner"}, NamedFrame{"_Z5outerv"}));
  EXPECT_THAT(ask(naming, {.lines = true}), ElementsAre(NamedFrame{"_Z5outerv", "file.cpp", 20, 10}));
  EXPECT_THAT(ask(naming, {}), ElementsAre(NamedFrame{"_Z5outerv"}));
  EXPECT_THAT(calls().opened, ElementsAre(std::filesystem::read_symlink("/proc/self/exe")));  // once
  EXPECT_GT(naming.symbol_count(), 0u);
}

TEST_F(LibraryNames, GoesOnWithTablesWhereThereIsNoSymcache) {
  calls().fails = true;
  LibraryNaming naming = make();
  EXPECT_THAT(ask_twice(naming, {})[0].function, HasSubstr("fake_frames"));
  ask_twice(naming, {});
  EXPECT_EQ(calls().opened.size(), 1u);  // not tried again
}

TEST_F(LibraryNames, GoesOnWithTablesWithoutTheLibrary) {
  options_.functions.reset();
  options_.library = "libthat-is-nowhere.so.0";
  LibraryNaming naming = make();
  EXPECT_THAT(ask_twice(naming, {})[0].function, HasSubstr("fake_frames"));
}

TEST_F(LibraryNames, KeepsSymcachesByBuildId) {
  const TempFolder folder;
  options_.cache_folder = folder.path() / "made" / "here";
  const std::string kept = options_.cache_folder + "/" + mapped_modules().front().build_id + ".symcache";
  {
    LibraryNaming naming = make();
    ask_twice(naming, {});
  }
  EXPECT_THAT(calls().opened, ElementsAre(std::filesystem::read_symlink("/proc/self/exe"), kept));
  std::string content;
  std::getline(std::ifstream(kept), content);
  EXPECT_EQ(content, "a symcach");
  LibraryNaming again = make();
  ask_twice(again, {});
  EXPECT_EQ(calls().opened.size(), 3u);
  EXPECT_EQ(calls().opened.back(), kept);
}

TEST_F(LibraryNames, KeepsNoneThatLackDebugInformation) {
  const TempFolder folder;
  options_.cache_folder = folder.path();
  calls().warns = true;
  LibraryNaming naming = make();
  ask_twice(naming, {});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(LibraryNames, AsksSymbolServersForWhatIsNotHere) {
  const TempFolder folder;
  const std::string stripped = folder.path() / "stripped.so";
  ASSERT_EQ(std::system(("objcopy --strip-all " SC_PROFILING_PLUGIN " " + stripped).c_str()), 0);
  options_.servers = "https://ours/";
  options_.token = "secret";
  options_.sources = "https://one/ https://two/";
  void* const plugin = ::dlopen(stripped.c_str(), RTLD_NOW);
  ASSERT_NE(plugin, nullptr);
  const auto address = reinterpret_cast<std::uintptr_t>(::dlsym(plugin, "sc_plugin_work"));
  LibraryNaming naming = make();
  naming.name(std::span(&address, 1), {});
  ASSERT_TRUE(naming.wait_until_idle(std::chrono::minutes(1)));
  EXPECT_EQ(naming.name(std::span(&address, 1), {}).front().front().function, "_Z5outerv");
  EXPECT_EQ(calls().asked_with_token, "https://ours/ with secret");
  EXPECT_THAT(calls().asked_for, testing::StartsWith("https://one/ https://two/ for "));
  EXPECT_THAT(calls().opened, ElementsAre(testing::EndsWith("/fetched.debug")));
  ask_twice(naming, {});  // the program has its own debug information: nobody is asked
  EXPECT_EQ(calls().opened.size(), 2u);
  ::dlclose(plugin);
}

TEST_F(LibraryNames, ConvertsButKeepsNoneThatHaveNoBuildId) {
  const TempFolder folder, cache;
  options_.cache_folder = cache.path();
  options_.servers = options_.sources = "https://one/";
  const std::string path = folder.path() / "nameless.so";
  const std::string command = "objcopy --strip-all --remove-section=.note.gnu.build-id " SC_PROFILING_PLUGIN " " + path;
  ASSERT_EQ(std::system(command.c_str()), 0);
  void* const plugin = ::dlopen(path.c_str(), RTLD_NOW);
  ASSERT_NE(plugin, nullptr);
  const auto address = reinterpret_cast<std::uintptr_t>(::dlsym(plugin, "sc_plugin_work"));
  LibraryNaming naming = make();
  naming.name(std::span(&address, 1), {});
  ASSERT_TRUE(naming.wait_until_idle(std::chrono::minutes(1)));
  EXPECT_EQ(naming.name(std::span(&address, 1), {}).front().front().function, "_Z5outerv");
  EXPECT_THAT(calls().opened, ElementsAre(path));
  EXPECT_EQ(calls().asked_for, "");
  EXPECT_TRUE(std::filesystem::is_empty(cache.path()));
  ::dlclose(plugin);
}

TEST_F(LibraryNames, ClosesTheLeastUsed) {
  options_.memory = 10;
  {
    LibraryNaming naming = make();
    ask_twice(naming, {});
    void* const library = ::dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    const auto other = reinterpret_cast<std::uintptr_t>(::dlsym(library, "qsort"));
    ::dlclose(library);
    naming.name(std::span(&other, 1), {});
    ASSERT_TRUE(naming.wait_until_idle(std::chrono::minutes(1)));
    EXPECT_EQ(calls().open_modules, 1);
    EXPECT_EQ(naming.name(std::span(&other, 1), {}).front().front().function, "_Z5outerv");
  }
  EXPECT_EQ(calls().open_answers, 0);
}

}  // namespace
}  // namespace symcached::pprof
