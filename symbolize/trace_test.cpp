#include "symbolize/trace.hpp"

#include <gtest/gtest.h>

#include "testing/caches/answering_modules.hpp"

namespace symcached::symbolize {
namespace {

TEST(Traces, LineByLine) {
  const Module module = testkit::managed_module();
  TraceResolver resolver([&](std::string_view name) { return name == "app.dll" ? &module : nullptr; });
  struct Row {
    std::string_view line, text, json;
  };
  const Row rows[] = {
      {"   at A.M() in app.dll:token 0x6000001+0x1\r", "   at A.M() in /src/App/Program.cs:line 13\r",
       R"({"module":"app.dll","token":"0x06000001","il_offset":1,"function":"App.Program.Main",)"
       R"("file":"/src/App/Program.cs","line":13,"column":13})"},
      {"   at A.M() in app.dll:token 0x6000040+0x1", "   at A.M() in app.dll:token 0x6000040+0x1",
       R"({"module":"app.dll","token":"0x06000040","il_offset":1})"},
      {"   at A.M()+Other() in app.dll:token 0x6000001+0x1", "   at A.M()+Other() in app.dll:token 0x6000001+0x1",
       R"({"module":"app.dll","token":"0x06000001","il_offset":1})"},
      {"   at A.M() in other.dll:token 0x6000001+0x1", "   at A.M() in other.dll:token 0x6000001+0x1",
       R"({"module":"other.dll","token":"0x06000001","il_offset":1})"},
      {"System.Exception: no", "System.Exception: no", ""},
      {"", "", ""},
  };
  for (const Row& r : rows) {
    std::string text, json;
    resolver.append_text(r.line, text);
    EXPECT_EQ(text, r.text);
    EXPECT_EQ(resolver.append_json(r.line, json), !r.json.empty()) << r.line;
    EXPECT_EQ(json, r.json);
  }
}

}  // namespace
}  // namespace symcached::symbolize
