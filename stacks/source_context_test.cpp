#include "stacks/source_context.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace symcached::stacks {
namespace {

TEST(SourceContext, LongLinesAreCut) {
  const std::string umlaut = "\xC3\xA4";
  const auto times = [](std::size_t count, std::string_view text) {
    std::string all;
    while (count-- != 0) all += text;
    return all;
  };
  struct Row {
    std::string_view why;
    std::string line, want;
  };
  const Row rows[] = {
      {"empty", "", ""},
      {"as long as may be", times(150, "x"), times(150, "x")},
      {"one more", times(151, "x"), times(140, "x") + " {snip}"},
      {"characters count, not bytes", times(150, umlaut), times(150, umlaut)},
      {"and none is cut in two", times(151, umlaut), times(140, umlaut) + " {snip}"},
  };
  std::string buffer;
  for (const Row& r : rows) EXPECT_EQ(cut_line(r.line, buffer), r.want) << r.why;
}

/// Module 1 has "/a.c" with lines 1 to 20, and a link of "/b.c".
class TwoFiles final : public SourceTexts {
 public:
  SourceText find(std::uint32_t module, std::string_view path) override {
    if (module != 1) return {};
    if (path == "/a.c") return {.lines = &lines_};
    return path == "/b.c" ? SourceText{.link = "https://example.com/b.c"} : SourceText{};
  }

 private:
  static std::string text() {
    std::string text;
    for (int i = 1; i <= 20; ++i) text += fmt::format("{}\n", i);
    return text;
  }
  const std::string text_ = text();
  const symbolize::SourceLines lines_{as_bytes(text_)};
};

class ContextText final : public FrameSink {
 public:
  void begin_stack(const Stack&) override { text += '['; }
  void frame(const OutFrame& out) override {
    const auto list = [&](const std::vector<std::string_view>* lines) {
      for (const std::string_view line : lines == nullptr ? std::vector<std::string_view>() : *lines)
        text += fmt::format("{} ", line);
    };
    list(out.frame.pre_context);
    if (out.frame.context_line) text += fmt::format("<{}> ", *out.frame.context_line);
    list(out.frame.post_context);
    text += out.frame.source_link;
  }
  void end_stack() override { text += ']'; }
  std::string text;
};

TEST(SourceContext, IsFiveLinesBeforeAndAfter) {
  struct Row {
    std::string_view why, path;
    std::uint32_t module, line;
    FrameStatus status;
    std::string_view want;
  };
  constexpr auto kNamed = FrameStatus::symbolicated;
  const Row rows[] = {
      {"in the middle", "/a.c", 1, 10, kNamed, "[5 6 7 8 9 <10> 11 12 13 14 15 ]"},
      {"at the start", "/a.c", 1, 1, kNamed, "[<1> 2 3 4 5 6 ]"},
      {"near it", "/a.c", 1, 3, kNamed, "[1 2 <3> 4 5 6 7 8 ]"},
      {"at the end", "/a.c", 1, 20, kNamed, "[15 16 17 18 19 <20> ]"},
      {"behind it", "/a.c", 1, 21, kNamed, "[]"},
      {"far behind it", "/a.c", 1, 0xFFFFFFFF, kNamed, "[]"},
      {"only a function is known", "/a.c", 1, 0, kNamed, "[]"},
      {"of a client, which says where it is", "/a.c", 1, 10, FrameStatus::missing, "[]"},
      {"another module", "/a.c", 0, 10, kNamed, "[]"},
      {"a link", "/b.c", 1, 10, kNamed, "[https://example.com/b.c]"},
      {"no line, no link", "/b.c", 1, 0, kNamed, "[]"},
      {"another file", "/c.c", 1, 10, kNamed, "[]"},
  };
  for (const Row& r : rows) {
    TwoFiles files;
    ContextText text;
    ContextSink sink(files, text);
    sink.begin_stack({});
    OutFrame frame{.status = r.status, .module = r.module, .path = r.path};
    frame.frame.lineno = r.line;
    sink.frame(frame);
    sink.end_stack();
    EXPECT_EQ(text.text, r.want) << r.why;
  }
}

TEST(SourceContext, WhatAClientSentStaysWhereNothingIsKnown) {
  const std::vector<std::string_view> before{"b"};
  TwoFiles files;
  ContextText text;
  ContextSink sink(files, text);
  OutFrame frame{.status = FrameStatus::symbolicated, .module = 1, .path = "/c.c"};
  frame.frame.lineno = 3;
  frame.frame.pre_context = &before;
  frame.frame.context_line = "c";
  sink.frame(frame);
  EXPECT_EQ(text.text, "b <c> ");
}

}  // namespace
}  // namespace symcached::stacks
