#include "symbolize/render_llvm.hpp"

#include <gtest/gtest.h>

#include "testing/caches/answering_modules.hpp"

namespace symcached::symbolize {
namespace {

using model::Rva;

constexpr TextStyle kBasenames{.basenames = true}, kNameless{.functions = false};

TEST(LlvmRenderers, WriteWhatLlvmSymbolizerWrites) {
  const Module native = testkit::native_module(), managed = testkit::managed_module();
  struct Row {
    std::string_view why;
    Renderer render;
    Place place;
    TextStyle style;
    std::string_view want;
  };
  const Row rows[] = {
      {"text", render_llvm_text, Rva{0x1004}, {}, R"(void std::get<int>()
/usr/include/utility:3:0
ns::outer(int)
C:\src\a "b".cpp:12:5

)"},
      {"files without folders", render_llvm_text, Rva{0x1000}, kBasenames, "ns::outer(int)\na \"b\".cpp:10:1\n\n"},
      {"no functions", render_llvm_text, Rva{0x1000}, kNameless, "C:\\src\\a \"b\".cpp:10:1\n\n"},
      {"no file", render_llvm_text, Rva{0x2000}, {}, "plain\n??:0:0\n\n"},
      {"no name", render_llvm_text, Rva{0x3000}, {}, "??\nx.s:1:0\n\n"},
      {"unknown", render_llvm_text, Rva{0x4000}, {}, "??\n??:0:0\n\n"},
      {"unknown, no functions", render_llvm_text, Rva{0x4000}, kNameless, "??:0:0\n\n"},
      {"of .NET", render_llvm_text, MethodPlace{1, 0}, {}, "App.Program.Main\n/src/App/Program.cs:12:9\n\n"},
      {"JSON",
       render_llvm_json,
       Rva{0x1000},
       {},
       R"({"Address":"0x401000","ModuleName":"m\\\u0001","Symbol":[{"Column":1,"Discriminator":0,)"
       R"j("FileName":"C:\\src\\a \"b\".cpp","FunctionName":"ns::outer(int)","Line":10,"StartAddress":"0x401000",)j"
       R"("StartFileName":"","StartLine":0}]})"},
      {"JSON, unknown",
       render_llvm_json,
       Rva{0x4000},
       {},
       R"({"Address":"0x404000","ModuleName":"m\\\u0001","Symbol":[]})"},
      {"JSON of .NET", render_llvm_json, MethodPlace{1, 0}, kBasenames,
       R"({"Address":"0x6000001:0x0","ModuleName":"m\\\u0001","Symbol":[{"Column":9,"Discriminator":0,)"
       R"("FileName":"Program.cs","FunctionName":"App.Program.Main","Line":12,"StartAddress":"",)"
       R"("StartFileName":"","StartLine":0}]})"},
  };
  Answer answer;
  for (const Row& r : rows) {
    const bool is_managed = std::holds_alternative<MethodPlace>(r.place);
    (is_managed ? managed : native).ask(r.place, {}, answer);
    std::string out;
    r.render({.module = "m\\\1", .place = r.place, .image_base = 0x400000, .answer = &answer}, r.style, out);
    EXPECT_EQ(out, r.want) << r.why;
  }
}

TEST(LlvmRenderers, ShowTheLinesAround) {
  const Module module = testkit::managed_module();
  Answer answer;
  module.ask(MethodPlace{5, 7}, {}, answer);
  const SourceText source{.lines = numbered_lines(as_bytes(std::string_view("one\ntwo\nthree\nfour\n")), 3, 3),
                          .url = "https://x.test/Table.fs"};
  const Answered answered{.module = "m", .place = MethodPlace{5, 7}, .answer = &answer, .source = &source};
  std::string text, json;
  render_llvm_text(answered, {}, text);
  EXPECT_EQ(text, "App.Program..ctor\n/src/App/Table.fs:3:2\n2  : two\n3 >: three\n4  : four\n\n");
  render_llvm_json(answered, {}, json);
  EXPECT_EQ(json, R"({"Address":"0x6000005:0x7","ModuleName":"m","Symbol":[{"Column":2,"Discriminator":0,)"
                  R"("FileName":"/src/App/Table.fs","FunctionName":"App.Program..ctor","Line":3,)"
                  R"("Source":"2  : two\u000a3 >: three\u000a4  : four\u000a","SourceUrl":"https://x.test/Table.fs",)"
                  R"("StartAddress":"","StartFileName":"","StartLine":0}]})");
}

TEST(LlvmRenderers, WriteWhatWasNoPlace) {
  std::string out;
  render_llvm_json_error("z\"", "m", "no address", out);
  EXPECT_EQ(out, R"({"Address":"z\"","Error":{"Message":"no address"},"ModuleName":"m"})");
}

}  // namespace
}  // namespace symcached::symbolize
