#include "app/llvm_request.hpp"

#include <gtest/gtest.h>

namespace symcached::app {
namespace {

using What = LlvmQuestion::What;

TEST(LlvmRequest, ReadsLinesAsTheProgramDoes) {
  struct Row {
    std::string_view line;
    LlvmReading how;
    LlvmQuestion want;
  };
  constexpr LlvmReading kNamed{.has_module = true}, kHex{.has_module = true, .is_hexadecimal = true};
  const Row rows[] = {
      {"app 0x10", {}, {.module = "app", .offset = 0x10}},
      {"  app   16  ", {}, {.module = "app", .offset = 16}},
      {"CODE \"my app\" 0x10", {}, {.module = "my app", .offset = 0x10}},
      {"DATA 'my app' 010", {}, {.what = What::data, .module = "my app", .offset = 8}},
      {"FRAME app 0b11", {}, {.what = What::frame, .module = "app", .offset = 3}},
      {"FILE:app 0o17", {}, {.module = "app", .offset = 15}},
      {"BUILDID:00AB 1", {}, {.build_id = "00ab", .offset = 1}},
      {"app main+0x3", {}, {.module = "app", .symbol = "main", .offset = 3}},
      {"app operator+", {}, {.module = "app", .symbol = "operator+"}},
      {"0x10 and more", kNamed, {.offset = 0x10}},
      {"add", kHex, {.offset = 0xADD}},
      {"0X10", kHex, {.offset = 0x10}},
      {"main", kHex, {.symbol = "main"}},
      {"", {}, {.what_is_wrong = "no input filename has been specified"}},
      {"app", {}, {.module = "app", .what_is_wrong = "no module offset has been specified"}},
      {"CODE", {}, {.module = "CODE", .what_is_wrong = "no module offset has been specified"}},
      {"\"app 0x10", {}, {.what_is_wrong = "no input filename has been specified"}},
      {"app 12x", {}, {.module = "app", .what_is_wrong = "expected a number as module offset"}},
      {"app 0x", {}, {.module = "app", .what_is_wrong = "expected a number as module offset"}},
      {"app 0x10000000000000000", {}, {.module = "app", .what_is_wrong = "expected a number as module offset"}},
      {"BUILDID:xyz 1", {}, {.what_is_wrong = "wrong format of build-id"}},
      {"FILE:FILE:app 1", {}, {.what_is_wrong = "duplicate input file specification prefix"}},
      {"FILE:app 1", kNamed, {.what_is_wrong = "input file has already been specified"}},
  };
  for (const Row& r : rows) {
    const LlvmQuestion got = read_llvm_question(r.line, r.how);
    EXPECT_EQ(got.what, r.want.what) << r.line;
    EXPECT_EQ(got.module, r.want.module) << r.line;
    EXPECT_EQ(got.build_id, r.want.build_id) << r.line;
    EXPECT_EQ(got.symbol, r.want.symbol) << r.line;
    EXPECT_EQ(got.offset, r.want.offset) << r.line;
    EXPECT_EQ(got.what_is_wrong, r.want.what_is_wrong) << r.line;
  }
}

}  // namespace
}  // namespace symcached::app
