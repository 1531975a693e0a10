#include "api/symbolicator/request.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace symcached::api {
namespace {

SymbolicateBody parsed(std::string_view body, const SourceRules& rules = {}) {
  auto result = parse_symbolicate_body(body, rules);
  EXPECT_TRUE(result) << body << ": " << result.error().why;
  return result ? *std::move(result) : SymbolicateBody{};
}

std::string frame_body(std::string_view members) {
  return fmt::format(R"({{"stacktraces":[{{"frames":[{{{}}}]}}]}})", members);
}

TEST(SymbolicateBody, Addresses) {
  struct Row {
    std::string_view text;
    std::uint64_t want;
  };
  const Row rows[] = {
      {"0", 0},
      {"2757172", 2757172},
      {R"("2757172")", 2757172},
      {R"("0x2a1234")", 0x2a1234},
      {R"("0X2A1234")", 0x2a1234},
      {"9007199254740993", 9007199254740993},
      {"18446744073709551615", 0xffff'ffff'ffff'ffff},
      {R"("0xffffffffffffffff")", 0xffff'ffff'ffff'ffff},
      {R"("18446744073709551615")", 0xffff'ffff'ffff'ffff},
  };
  for (const Row& r : rows) {
    const auto body = parsed(frame_body(fmt::format(R"("instruction_addr":{})", r.text)));
    ASSERT_EQ(body.request.stacks.size(), 1) << r.text;
    EXPECT_EQ(body.request.stacks[0].frames[0].instruction_addr, r.want) << r.text;
  }
}

TEST(SymbolicateBody, AFrameWithEverything) {
  const auto body = parsed(frame_body(
      R"x("platform":"native","addr_mode":"rel:7","instruction_addr":"0x1","adjust_instruction_addr":false,
         "function_id":"0x4","package":"p","lang":"cpp","symbol":"_Z1fv","sym_addr":"0x2","function":"f()",
         "filename":"x.c","abs_path":"/x.c","lineno":3,"pre_context":["a","b"],"context_line":"","post_context":["c"],
         "source_link":"https://example.org/x.c","in_app":true,"trust":"cfiscan","vars":{"a":1},"future":[1])x"));
  const stacks::Frame& f = body.request.stacks.at(0).frames.at(0);
  EXPECT_EQ(f.platform, "native");
  EXPECT_EQ(f.relative_to, 7);
  EXPECT_EQ(f.instruction_addr, 1);
  EXPECT_EQ(f.adjust_instruction_addr, false);
  EXPECT_EQ(f.function_id, 4);
  EXPECT_EQ(f.package, "p");
  EXPECT_EQ(f.lang, "cpp");
  EXPECT_EQ(f.symbol, "_Z1fv");
  EXPECT_EQ(f.sym_addr, 2);
  EXPECT_EQ(f.function, "f()");
  EXPECT_EQ(f.filename, "x.c");
  EXPECT_EQ(f.abs_path, "/x.c");
  EXPECT_EQ(f.lineno, 3);
  ASSERT_NE(f.pre_context, nullptr);
  EXPECT_EQ(*f.pre_context, (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(f.context_line, "");
  ASSERT_NE(f.post_context, nullptr);
  EXPECT_EQ(f.source_link, "https://example.org/x.c");
  EXPECT_EQ(f.in_app, true);
  EXPECT_EQ(f.trust, stacks::Trust::cfi_scan);
}

TEST(SymbolicateBody, StacksModulesAndOptions) {
  const auto body = parsed(R"({"platform":"native","signal":11,
      "stacktraces":[{"thread_id":7,"thread_name":"main","is_requesting":true,"registers":{"rsp":"0x1","rip":2},
                      "frames":[]}],
      "modules":[{"type":"pe","code_id":"5AB380779000","code_file":"C:\\a\\crash.exe","debug_file":"crash.pdb",
                  "debug_id":"3249D99D0C4049318610F4E4FB0B69361","debug_checksum":"SHA256:0a0b","image_addr":"0x2a0000",
                  "image_size":36864},
                 {"type":"new_kind","code_id":"nonsense","debug_id":"nonsense","image_addr":null}],
      "options":{"dif_candidates":true,"apply_source_context":false,"frame_order":"caller_first","extended":true},
      "scraping":{"enabled":false,"allowed_origins":["*.example.com"],"headers":{"X-Token":"a b"}},"future":{}})");
  const stacks::Request& r = body.request;
  EXPECT_EQ(r.platform, "native");
  EXPECT_EQ(r.signal, 11);
  const stacks::Stack& stack = r.stacks.at(0);
  EXPECT_EQ(stack.thread_id, 7);
  EXPECT_EQ(stack.thread_name, "main");
  EXPECT_EQ(stack.is_requesting, true);
  ASSERT_EQ(stack.registers.size(), 2);
  EXPECT_EQ(stack.registers[0].name, "rip") << "by name";
  EXPECT_EQ(stack.registers[1].value, 1);
  const stacks::ModuleInfo& module = r.modules.at(0);
  EXPECT_EQ(module.type, sources::ModuleType::pe);
  EXPECT_EQ(module.ids.code_id, "5ab380779000");
  EXPECT_EQ(module.ids.code_file, "C:\\a\\crash.exe");
  ASSERT_TRUE(module.ids.debug_id);
  EXPECT_EQ(module.ids.debug_id->dashed(), "3249d99d-0c40-4931-8610-f4e4fb0b6936-1");
  EXPECT_EQ(module.ids.checksums.size(), 1);
  EXPECT_EQ(module.debug_checksum, "SHA256:0a0b");
  EXPECT_EQ(module.image_addr, 0x2a0000);
  EXPECT_EQ(module.image_size, 36864);
  const stacks::ModuleInfo& other = r.modules.at(1);
  EXPECT_EQ(other.type, std::nullopt);
  EXPECT_TRUE(other.ids.code_id.empty());
  EXPECT_EQ(other.ids.debug_id, std::nullopt);
  EXPECT_EQ(other.image_addr, 0);
  EXPECT_EQ(other.image_size, std::nullopt);
  EXPECT_TRUE(r.options.dif_candidates);
  EXPECT_FALSE(r.options.apply_source_context);
  EXPECT_TRUE(r.options.caller_first);
  EXPECT_TRUE(r.options.extended);
  EXPECT_FALSE(r.options.fetch_sources);
  EXPECT_EQ(r.scraping.allowed_origins, std::vector<std::string_view>{"*.example.com"});
  ASSERT_EQ(r.scraping.headers.size(), 1);
  EXPECT_EQ(r.scraping.headers[0], (std::pair<std::string_view, std::string_view>("X-Token", "a b")));
  EXPECT_EQ(body.sources.sources, std::nullopt);
}

TEST(SymbolicateBody, WhatIsNotThereHasItsDefault) {
  for (const std::string_view text :
       {"{}", R"({"stacktraces":null,"modules":null,"options":null,"sources":null,"signal":null,"scraping":null})"}) {
    const auto body = parsed(text);
    EXPECT_TRUE(body.request.stacks.empty());
    EXPECT_TRUE(body.request.modules.empty());
    EXPECT_FALSE(body.request.options.dif_candidates);
    EXPECT_TRUE(body.request.options.apply_source_context);
    EXPECT_FALSE(body.request.options.caller_first);
    EXPECT_TRUE(body.request.options.fetch_sources);
    EXPECT_FALSE(body.sources.sources) << "the server's own";
  }
}

TEST(SymbolicateBody, OutlivesItsText) {
  auto text =
      std::make_unique<std::string>(frame_body(R"("instruction_addr":1,"function":"a rather long name of one")"));
  SymbolicateBody body = parsed(*text);
  text.reset();
  const stacks::Request moved = std::move(body.request);
  EXPECT_EQ(moved.stacks.at(0).frames.at(0).function, "a rather long name of one");
}

TEST(SymbolicateBody, RefusesWhatItIsNot) {
  struct Row {
    std::string_view why;
    std::string body;
    unsigned status;
    std::string_view want;
  };
  const auto frame = [](std::string_view members) { return frame_body(members); };
  const Row rows[] = {
      {"nothing", "", 400, "JSON, but incomplete JSON at byte 0"},
      {"cut", "{", 400, "JSON, but incomplete JSON at byte 1"},
      {"junk behind it", "{} x", 400, "JSON, but extra data at byte 3"},
      {"byte order mark", "\xEF\xBB\xBF{}", 400, "JSON, but syntax error at byte 0"},
      {"no UTF-8", "{\"a\":\"\xFF\"}", 400, "JSON, but syntax error at byte 6"},
      {"an array", "[]", 422, "wanted an object"},
      {"text", "\"x\"", 422, "wanted an object"},
      {"stacks of text", R"({"stacktraces":"x"})", 422, "stacktraces: wanted an array, found text"},
      {"a stack of text", R"({"stacktraces":["x"]})", 422, "stacktraces[0]: wanted an object"},
      {"no frames", R"({"stacktraces":[{"frames":[]},{}]})", 422, "stacktraces[1].frames: missing"},
      {"no address", frame(""), 422, "stacktraces[0].frames[0].instruction_addr: missing"},
      {"no number", frame(R"("instruction_addr":"zz")"), 422,
       "stacktraces[0].frames[0].instruction_addr: wanted a number of at most 64 bits, found other text"},
      {"no digits", frame(R"("instruction_addr":"0x")"), 422,
       "stacktraces[0].frames[0].instruction_addr: wanted a number of at most 64 bits, found other text"},
      {"65 bits", frame(R"("instruction_addr":"0x10000000000000000")"), 422,
       "stacktraces[0].frames[0].instruction_addr: wanted a number of at most 64 bits, found other text"},
      {"65 bits in digits", frame(R"("instruction_addr":18446744073709551616)"), 422,
       "stacktraces[0].frames[0].instruction_addr: wanted a number, or its digits in text (0x…), found a number that "
       "is "
       "not whole, or too large"},
      {"a fraction", frame(R"("instruction_addr":1.5)"), 422,
       "stacktraces[0].frames[0].instruction_addr: wanted a number, or its digits in text (0x…), found a number that "
       "is "
       "not whole, or too large"},
      {"below zero", frame(R"("instruction_addr":-1)"), 422,
       "stacktraces[0].frames[0].instruction_addr: wanted a number, or its digits in text (0x…), found a number below "
       "zero"},
      {"address mode", frame(R"("instruction_addr":1,"addr_mode":"odd")"), 422,
       "stacktraces[0].frames[0].addr_mode: wanted abs, or rel:N for the offset in module N"},
      {"relative to nothing", frame(R"("instruction_addr":1,"addr_mode":"rel:")"), 422,
       "stacktraces[0].frames[0].addr_mode: wanted abs, or rel:N for the offset in module N"},
      {"a name that is none", frame(R"("instruction_addr":1,"function":5)"), 422,
       "stacktraces[0].frames[0].function: wanted text, found a number"},
      {"line", frame(R"("instruction_addr":1,"lineno":4294967296)"), 422,
       "stacktraces[0].frames[0].lineno: wanted a number of at most 32 bits"},
      {"lines of source", frame(R"("instruction_addr":1,"pre_context":[1])"), 422,
       "stacktraces[0].frames[0].pre_context: wanted texts"},
      {"a register", R"({"stacktraces":[{"registers":{"rip":true},"frames":[]}]})", 422,
       "stacktraces[0].registers.rip: wanted a number of at most 64 bits"},
      {"no type", R"({"modules":[{"image_addr":"0x1"}]})", 422, "modules[0].type: missing"},
      {"order", R"({"options":{"frame_order":"odd"}})", 422,
       "options: frame_order: wanted callee_first or caller_first"},
      {"scraping", R"({"scraping":[]})", 422, "scraping: wanted an object, found an array"},
      {"a header of two lines", R"({"scraping":{"headers":{"X":"a\r\nY: b"}}})", 422,
       "scraping: headers: one is no header of one line"},
      {"origins", R"({"scraping":{"allowed_origins":[1]}})", 422, "scraping: allowed_origins: wanted texts"},
      {"sources", R"({"sources":{}})", 422, "sources: wanted an array, found an object"},
      {"too deep", std::string(kMaxDepth + 1, '['), 413, "arrays or objects nested more than 32 deep"},
      {"too deep, in what is not read", R"({"x":)" + std::string(kMaxDepth, '['), 413,
       "arrays or objects nested more than 32 deep"},
      {"brackets in text are none", frame(R"("instruction_addr":"\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[")"), 422,
       "stacktraces[0].frames[0].instruction_addr: wanted a number of at most 64 bits, found other text"},
  };
  for (const Row& r : rows) {
    const auto result = parse_symbolicate_body(r.body, {});
    ASSERT_FALSE(result) << r.why;
    EXPECT_EQ(result.error().status, r.status) << r.why;
    EXPECT_EQ(result.error().why, r.want) << r.why;
  }
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) (all += i == 0 ? "" : ",") += text;
  return all;
}

TEST(SymbolicateBody, CountsBeforeItAllocates) {
  struct Row {
    std::string_view why;
    std::string body;
    std::string_view want;
  };
  const std::string frames = repeated(R"({"instruction_addr":1})", kMaxFrames / 2 + 1);
  const Row rows[] = {
      {"values", "[" + repeated("0", kMaxValues) + "]", "more than 4000000 values"},
      {"stacks", R"({"stacktraces":[)" + repeated(R"({"frames":[]})", kMaxStacks + 1) + "]}",
       "stacktraces: more than 20000"},
      {"frames of all stacks", R"({"stacktraces":[{"frames":[)" + frames + R"(]},{"frames":[)" + frames + "]}]}",
       "frames: more than 200000"},
      {"modules", R"({"modules":[)" + repeated(R"({"type":"pe"})", kMaxModules + 1) + "]}", "modules: more than 20000"},
      {"sources", R"({"sources":[)" + repeated("{}", kMaxSources + 1) + "]}", "sources: more than 100"},
  };
  for (const Row& r : rows) {
    const auto result = parse_symbolicate_body(r.body, {});
    ASSERT_FALSE(result) << r.why;
    EXPECT_EQ(result.error().status, 413) << r.why;
    EXPECT_EQ(result.error().why, r.want) << r.why;
  }
}

TEST(SymbolicateParts, ComeAlone) {
  const auto options = parse_options(R"({"dif_candidates":true})");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->dif_candidates);
  EXPECT_TRUE(parse_options("null"));
  EXPECT_EQ(parse_options("[]").error().why, "options: wanted an object");
  EXPECT_EQ(parse_options(R"({"extended":1})").error().why, "options.extended: wanted true or false, found a number");
  EXPECT_FALSE(parse_sources("null", {})->sources) << "the server's own";
  EXPECT_TRUE(parse_sources("[]", {})->sources) << "none at all";
  EXPECT_EQ(parse_sources("{}", {}).error().status, 422);
  EXPECT_EQ(parse_sources("[", {}).error().status, 400);
}

}  // namespace
}  // namespace symcached::api
