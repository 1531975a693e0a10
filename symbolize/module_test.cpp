#include "symbolize/module.hpp"

#include <gtest/gtest.h>

#include "testing/caches/answering_modules.hpp"

namespace symcached::symbolize {
namespace {

using model::Rva;

/// "function at file:line:column", then " <- " and the frame it is inlined into.
std::string text_of(const Answer& answer) {
  std::string text;
  for (const Frame& f : answer.frames()) {
    text.append(f.function).append(" at ").append(f.file);
    text += ":" + std::to_string(f.line) + ":" + std::to_string(f.column);
    if (f.is_inlined) text += " <- ";
  }
  return text;
}

constexpr AnswerOptions kBrief{.names = FunctionNames::brief}, kLinkage{.names = FunctionNames::linkage},
    kRecorded{.demangle = false}, kRecordedLinkage{.names = FunctionNames::linkage, .demangle = false},
    kNameless{.names = FunctionNames::none}, kOutermost{.inlines = false},
    kShort{.detail = demangle::Detail::no_parameters};

struct Row {
  std::string_view why;
  Place place;
  AnswerOptions options;
  std::string_view want;
};

TEST(Modules, AnswerOfNativeCode) {
  const Module module = testkit::native_module();
  const Row rows[] = {
      {"no inlined call", Rva{0x1003}, {}, R"(ns::outer(int) at C:\src\a "b".cpp:10:1)"},
      {"inlined",
       Rva{0x1004},
       {},
       R"(void std::get<int>() at /usr/include/utility:3:0 <- ns::outer(int) at C:\src\a "b".cpp:12:5)"},
      {"not wanted", Rva{0x101f}, kOutermost, R"(ns::outer(int) at C:\src\a "b".cpp:12:5)"},
      {"no parameters", Rva{0x1000}, kBrief, R"(ns::outer at C:\src\a "b".cpp:10:1)"},
      {"the same by detail", Rva{0x1000}, kShort, R"(ns::outer at C:\src\a "b".cpp:10:1)"},
      {"linkage name", Rva{0x1000}, kLinkage, R"(ns::outer(long) at C:\src\a "b".cpp:10:1)"},
      {"linkage name as recorded", Rva{0x1000}, kRecordedLinkage, R"(_ZN2ns5outerEl at C:\src\a "b".cpp:10:1)"},
      {"name as recorded", Rva{0x1000}, kRecorded, R"(_ZN2ns5outerEi at C:\src\a "b".cpp:10:1)"},
      {"names unwanted", Rva{0x1004}, kNameless, R"( at /usr/include/utility:3:0 <-  at C:\src\a "b".cpp:12:5)"},
      {"no lines", Rva{0x2001}, {}, "plain at :0:0"},
      {"no name", Rva{0x3000}, {}, " at x.s:1:0"},
      {"behind a function", Rva{0x1020}, {}, ""},
      {"a place of .NET", MethodPlace{1, 0}, {}, ""},
  };
  Answer answer;  // one for all: nothing of an answer stays in the next
  for (const Row& r : rows) {
    module.ask(r.place, r.options, answer);
    EXPECT_EQ(text_of(answer), r.want) << r.why;
  }
  module.ask(Rva{0x1005}, {}, answer);
  EXPECT_EQ(answer.start(), Rva{0x1000});
  EXPECT_EQ(answer.size(), 0x20u);
  EXPECT_EQ(answer.language(), model::Language::cpp);
  module.ask(Rva{0}, {}, answer);
  EXPECT_EQ(answer.size(), 0u);
  EXPECT_EQ(answer.language(), model::Language::unknown);
}

TEST(Modules, AnswerOfManagedCode) {
  const Module module = testkit::managed_module();
  const Row rows[] = {
      {"a line", MethodPlace{1, 2}, {}, "App.Program.Main at /src/App/Program.cs:13:13"},
      {"the offsets of an async method are its state machine's",
       MethodPlace{2, 31},
       {},
       "App.Program.LoadAsync at /src/App/Program.cs:21:9"},
      {"a state machine has its method's name",
       MethodPlace{70, 0},
       {},
       "App.Program.LoadAsync at /src/App/Program.cs:20:9"},
      {"a name and no lines", MethodPlace{64, 0}, {}, "App.Table.Name[T] at :0:0"},
      {"nor a name, as none is wanted", MethodPlace{64, 0}, kNameless, ""},
      {"lines and no name", MethodPlace{6, 14}, {}, " at /src/App/Table.fs:9000:1"},
      {"names unwanted", MethodPlace{1, 0}, kNameless, " at /src/App/Program.cs:12:9"},
      {"unknown", MethodPlace{3, 0}, {}, ""},
      {"an address", Rva{0x1000}, {}, ""},
  };
  Answer answer;
  for (const Row& r : rows) {
    module.ask(r.place, r.options, answer);
    EXPECT_EQ(text_of(answer), r.want) << r.why;
  }
}

TEST(Modules, AnswersStayWhenModulesMove) {
  Module module = testkit::native_module();
  const Module moved = std::move(module);
  Answer answer;
  moved.ask(Rva{0x2000}, {}, answer);
  EXPECT_EQ(text_of(answer), "plain at :0:0");
}

TEST(Modules, SayWhatIsWrongWithACache) {
  const auto symcache = write(testkit::answering_functions());
  EXPECT_TRUE(Module::view(symcache));
  EXPECT_FALSE(Module::view(symcache)->is_managed());
  const auto cut = Module::view(Bytes(symcache).first(20));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error(), "truncated: 20 of 208 bytes (symcache.header at offset 0)");
  EXPECT_FALSE(Module::own({}));
}

}  // namespace
}  // namespace symcached::symbolize
