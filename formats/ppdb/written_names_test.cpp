#include "formats/ppdb/written_names.hpp"

#include <gtest/gtest.h>

namespace symcached::ppdb {
namespace {

TEST(WrittenNames, CompilersNamesLeadToWhatAPersonWrote) {
  struct Row {
    std::string_view why;
    std::vector<std::string> types;
    std::string_view method;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing made", {"Program"}, "Main", "Program.Main"},
      {"nested", {"Outer<T>", "Inner<U>"}, "Generic", "Outer<T>.Inner<U>.Generic"},
      {"a constructor", {"Point"}, ".ctor", "Point..ctor"},
      {"in no class", {}, "main", "main"},
      {"top-level statements", {"Program"}, "<Main>$", "Program.Main"},
      {"what starts an async Main", {"Program"}, "<Main>", "Program.Main"},
      {"a lambda without captures", {"Program", "<>c"}, "<Main>b__0_12", "Program.Main.<lambda>"},
      {"a lambda with captures", {"P", "<>c__DisplayClass0_0"}, "<Main>b__26", "P.Main.<lambda>"},
      {"the constructor of what was captured", {"P", "<>c__DisplayClass0_0"}, ".ctor", "P.<>c__DisplayClass0_0..ctor"},
      {"in a generic method", {"P", "<>c__DisplayClass0_0`1"}, "<Main>b__26", "P.Main.<lambda>"},
      {"a lambda of the class itself", {"P"}, "<.ctor>b__1_0", "P..ctor.<lambda>"},
      {"a local function", {"Flow"}, "<Local>g__Go|4_0", "Flow.Local.Go"},
      {"one with captures", {"Flow", "<>c__DisplayClass4_0"}, "<Local>g__Go|1", "Flow.Local.Go"},
      {"an async method", {"Flow", "<Async>d__1"}, "MoveNext", "Flow.Async"},
      {"a generic iterator", {"Flow", "<Many>d__1<T>"}, "MoveNext", "Flow.Many<T>"},
      {"other members of an iterator", {"Flow", "<Many>d__1"}, "System.IDisposable.Dispose", "Flow.Many"},
      {"an async lambda", {"P", "<>c", "<<Main>b__0_0>d"}, "MoveNext", "P.Main.<lambda>"},
      {"an async local function", {"P", "<<Main>g__Work|0_0>d"}, "MoveNext", "P.Main.Work"},
      {"a lambda in a local function", {"P", "<>c"}, "<<Main>g__Work|0_0>b__1", "P.Main.Work.<lambda>"},
      {"an interface's method", {"P", "<I<X>.Do>d__3"}, "MoveNext", "P.I<X>.Do"},
      {"one that is not made", {"P"}, "I<X>.Do", "P.I<X>.Do"},
      {"an anonymous type", {"<>f__AnonymousType0<T>"}, "ToString", "<>f__AnonymousType0<T>.ToString"},
      {"Visual Basic's lambda", {"M", "_Closure$__"}, "_Lambda$__0-1", "M.<lambda>"},
      {"Visual Basic's state machine", {"M", "VB$StateMachine_3_Work_It"}, "MoveNext", "M.Work_It"},
      {"F#'s closure", {"Module", "work@12-1"}, "Invoke", "Module.work"},
      {"an address is no line", {"Module", "me@home"}, "Invoke", "Module.me@home.Invoke"},
      {"brackets without end", {"P", "<Main"}, "<b", "P.<Main.<b"},
      {"nothing in brackets", {"P", "<>"}, "<>", "P.<>.<>"},
      {"nothing at all", {"", "VB$StateMachine_", "@1"}, "", ".VB$StateMachine_.@1."},
  };
  for (const Row& r : rows) {
    std::string joined;
    const auto parts = written_parts(r.types, r.method);
    for (const std::string& part : parts) joined += part + ".";
    joined.pop_back();
    EXPECT_EQ(joined, r.want) << r.why;
  }
}

TEST(WrittenNames, LambdasInLambdasEnd) {
  std::string name = "Main";
  for (int i = 0; i < 10'000; ++i) name = "<" + name + ">b__0";
  EXPECT_LE(written_parts({}, name).size(), 20u);
}

}  // namespace
}  // namespace symcached::ppdb
