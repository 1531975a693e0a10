#include "symbolize/llvm_printer.hpp"

#include <gtest/gtest.h>

namespace symcached::symbolize {
namespace {

using Format = LlvmStyle::Format;

constexpr Frame kCalls[] = {{.function = "in", .file = "/src/a.c", .line = 4, .column = 7, .is_inlined = true},
                            {.function = "main", .file = "/src/\"a.c", .line = 9, .column = 2}};
constexpr LlvmRequest kRequest{.module = "app", .address = 0x1010, .symbol = {}};

TEST(LlvmPrinter, PrintsFramesInEachStyle) {
  struct Row {
    std::string_view why;
    LlvmStyle style;
    std::span<const Frame> frames;
    std::string_view want;
  };
  const Row rows[] = {
      {"LLVM", {}, kCalls, "in\n/src/a.c:4:7\nmain\n/src/\"a.c:9:2\n\n"},
      {"GNU", {.format = Format::gnu}, kCalls, "in\n/src/a.c:4\nmain\n/src/\"a.c:9\n"},
      {"no functions", {.functions = false}, kCalls, "/src/a.c:4:7\n/src/\"a.c:9:2\n\n"},
      {"pretty",
       {.addresses = true, .pretty = true},
       kCalls,
       "0x1010: in at /src/a.c:4:7\n (inlined by) main at /src/\"a.c:9:2\n\n"},
      {"address, basenames", {.addresses = true, .basenames = true}, {kCalls, 1}, "0x1010\nin\na.c:4:7\n\n"},
      {"verbose",
       {.verbose = true},
       {kCalls, 1},
       "in\n  Filename: /src/a.c\n  Function start address: 0x1000\n  Line: 4\n  Column: 7\n\n"},
      {"unknown", {}, {}, "??\n??:0:0\n\n"},
      {"unknown, GNU", {.format = Format::gnu}, {}, "??\n??:0\n"},
      {"JSON",
       {.format = Format::json},
       {kCalls + 1, 1},
       R"({"Address":"0x1010","ModuleName":"app","Symbol":[{"Column":2,"Discriminator":0,"FileName":"/src/\"a.c",)"
       R"("FunctionName":"main","Line":9,"StartAddress":"0x1000","StartFileName":"","StartLine":0}]})"},
      {"JSON, unknown",
       {.format = Format::json},
       {},
       R"({"Address":"0x1010","ModuleName":"app","Symbol":[{"Column":0,"Discriminator":0,"FileName":"",)"
       R"("FunctionName":"","Line":0,"StartAddress":"","StartFileName":"","StartLine":0}]})"},
  };
  for (const Row& r : rows) {
    std::string out;
    LlvmPrinter(r.style).frames(kRequest, {.frames = r.frames, .start = 0x1000}, out);
    EXPECT_EQ(out, r.want) << r.why;
  }
}

TEST(LlvmPrinter, PrintsPlacesDataAndErrors) {
  const LlvmPrinter text(LlvmStyle{}), json(LlvmStyle{.format = Format::json});
  const LlvmRequest symbol{.module = "app", .address = {}, .symbol = "main"};
  const LlvmFrames place{.frames = {kCalls, 1}, .start = {}};
  const auto printed = [](const auto& print) {
    std::string out;
    print(out);
    return out;
  };
  EXPECT_EQ(printed([&](std::string& out) { text.places(symbol, {&place, 1}, out); }), "in\n/src/a.c:4:7\n\n");
  EXPECT_EQ(printed([&](std::string& out) { text.places(symbol, {}, out); }), "??\n??:0:0\n\n");
  EXPECT_EQ(printed([&](std::string& out) { json.places(symbol, {}, out); }),
            R"({"Loc":[],"ModuleName":"app","SymName":"main"})");
  const LlvmData data{.name = "table", .start = 0x1000, .size = 16, .file = "/src/a.c", .line = 3};
  EXPECT_EQ(printed([&](std::string& out) { text.data(kRequest, data, out); }), "table\n4096 16\n/src/a.c:3\n\n");
  EXPECT_EQ(printed([&](std::string& out) { text.data(kRequest, {}, out); }), "??\n0 0\n??:?\n\n");
  EXPECT_EQ(printed([&](std::string& out) { json.data(kRequest, data, out); }),
            R"({"Address":"0x1010","Data":{"Name":"table","Size":"0x10","Start":"0x1000"},"ModuleName":"app"})");
  EXPECT_EQ(printed([&](std::string& out) { text.no_locals(kRequest, out); }), "??\n\n");
  EXPECT_EQ(printed([&](std::string& out) { json.error(kRequest, "No\tsuch file\n", out); }),
            R"({"Address":"0x1010","Error":{"Message":"No\tsuch file\n"},"ModuleName":"app"})");
}

}  // namespace
}  // namespace symcached::symbolize
