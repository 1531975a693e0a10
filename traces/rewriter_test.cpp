#include "traces/rewriter.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "traces/stub_frames.hpp"

namespace symcached::traces {
namespace {

std::string rewritten(std::string_view text, Output output, testkit::StubFrames& frames, std::size_t piece = 1 << 20) {
  std::string out;
  Rewriter rewriter(frames, output, [&](std::string_view part) { out += part; });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) rewriter.feed(text.substr(0, piece));
  rewriter.finish();
  return out;
}

constexpr std::string_view kFrame = "#1  0x00005611f0d6b3c8 n/a (/opt/a/srv + 0x13c8)";

TEST(Rewriter, WhatIsNoFrameStaysByteForByte) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  const std::string long_line(3 * kMaxLine, '#');
  std::string many;
  for (int i = 0; i < 3'000; ++i) many += std::string(2'000, 'x') + "\n";
  for (const std::string& text : {std::string(), std::string("\n"), std::string("\r\n\r\n"), std::string("no newline"),
                                  every, every + "\n" + every, long_line, long_line + "\n" + long_line, many,
                                  std::string("#1 0xffffffffffffffffffffffff n/a (/a + 0x1)\n"), std::string(1, '\0')})
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{997}}) {
      testkit::StubFrames frames;
      EXPECT_TRUE(rewritten(text, Output::text, frames, piece) == text) << text.substr(0, 40);
      EXPECT_TRUE(frames.asked.empty());
    }
}

TEST(Rewriter, LineEndingsStay) {
  testkit::StubFrames frames;
  const std::string frame(kFrame);
  const std::string inlined = std::string(23, ' ') + "poke at a.c:8:3 [inlined]";
  const std::string outer = "#1  0x00005611f0d6b3c8 outer (/opt/a/srv + 0x13c8) at b.c:9:1";
  EXPECT_EQ(rewritten(frame, Output::text, frames), inlined + "\n" + outer);
  EXPECT_EQ(rewritten(frame + "\r\n", Output::text, frames), inlined + "\r\n" + outer + "\r\n");
  EXPECT_EQ(rewritten(frame + "  \nx", Output::text, frames), inlined + "  \n" + outer + "  \nx");
}

TEST(Rewriter, UnresolvedFramesStay) {
  testkit::StubFrames frames;
  for (const Status status : {Status::no_module, Status::no_debug_file, Status::id_mismatch, Status::ambiguous}) {
    frames.answer = {.status = status};
    EXPECT_EQ(rewritten(kFrame, Output::text, frames), kFrame);
  }
  frames.answer = {.status = Status::ok, .frames = {{"outer", "", 0, 0, false}}};
  EXPECT_EQ(rewritten(kFrame, Output::text, frames), "#1  0x00005611f0d6b3c8 outer (/opt/a/srv + 0x13c8)");
  frames.answer = {.status = Status::ok, .frames = {{"", "b.c", 9, 0, false}}};
  EXPECT_EQ(rewritten(kFrame, Output::text, frames), std::string(kFrame) + " at b.c:9");
}

TEST(Rewriter, AsksEachQuestionOnceAndManyAtOnce) {
  testkit::StubFrames frames;
  std::string text;
  for (int i = 0; i < 1'000; ++i)
    text += fmt::format("#{}  0x00005611f0d6b3c8 n/a (/opt/a/srv + {:#x})\n", i + 1, 0x13c8 + i % 10);
  rewritten(text, Output::text, frames);
  EXPECT_EQ(frames.asked.size(), 10u);
  EXPECT_EQ(frames.calls, 1);
}

TEST(Rewriter, AMapMayFollowTheFrames) {
  testkit::StubFrames frames;
  rewritten("#0  0x0000000000401198 in ?? ()\n00400000-00500000 r-xp 00001000 fe:00 12   /opt/a/srv\n", Output::text,
            frames);
  EXPECT_EQ(frames.asked, std::vector<std::string>{"F 0x2198 /opt/a/srv at"});
}

TEST(Rewriter, AFrameWithBothNumbersTellsWhereItsModuleLies) {
  testkit::StubFrames frames;
  rewritten("/opt/a/srv(run+0x9) [0x5623fbf08208]\n/opt/a/srv(+0x1198) [0x5623fbf08198]\n", Output::text, frames);
  EXPECT_EQ(frames.asked, (std::vector<std::string>{"V 0x1208 /opt/a/srv before", "V 0x1198 /opt/a/srv before"}));
}

TEST(Rewriter, ANameWithAnAddressTellsItToo) {
  class NeedsMap final : public FrameSource {
   public:
    void resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) override {
      for (std::size_t i = 0; i < questions.size(); ++i) {
        asked.push_back(testkit::text_of(questions[i]));
        answers[i] = {.status = questions[i].kind == NumberKind::runtime ? Status::no_map : Status::ok,
                      .lookup = 0x1199};
      }
    }
    std::vector<std::string> asked;
  } frames;
  Rewriter rewriter(frames, Output::text, [](std::string_view) {});
  rewriter.feed(
      "0  libcb.so.1  0x00007f21c0a4119a run() + 10\n1  libcb.so.1  0x00007f21c0a41300\n2  libcb.so.1  "
      "0x00007f21c0a41300\n");
  rewriter.finish();
  EXPECT_EQ(frames.asked, (std::vector<std::string>{"N run()+0xa libcb.so.1 at", "A 0x7f21c0a41300 libcb.so.1 before",
                                                    "V 0x12ff libcb.so.1 before"}));
}

TEST(Rewriter, Flushes) {
  testkit::StubFrames frames;
  std::string out;
  Rewriter rewriter(frames, Output::text, [&](std::string_view part) { out += part; });
  rewriter.feed("one\ntw");
  EXPECT_EQ(out, "");
  rewriter.flush();
  EXPECT_EQ(out, "one\n");
  rewriter.feed("o");
  rewriter.finish();
  EXPECT_EQ(out, "one\ntwo");
}

TEST(Rewriter, Json) {
  testkit::StubFrames frames;
  const std::string text = "Stack trace of thread 812:\n" + std::string(kFrame) + "\n#0  0x1 bad\xff (lib + 0x2)\n";
  const auto value = boost::json::parse(rewritten(text, Output::json, frames));
  ASSERT_EQ(value.as_array().size(), 2u);
  EXPECT_EQ(value.as_array()[0], boost::json::parse(R"({"line":2,"dialect":"coredumpctl","thread":"812","index":1,
      "module":"/opt/a/srv","address":"0x5611f0d6b3c8","offset":"0x13c8","kind":"B","adjust":"raw","lookup":"0x1234",
      "status":"ok","frames":[{"function":"poke","file":"a.c","line":8,"column":3,"inlined":true},
      {"function":"outer","file":"b.c","line":9,"column":1,"inlined":false}]})"));
  EXPECT_EQ(rewritten("no frames\n", Output::json, frames), "[]\n");
}

TEST(Rewriter, Table) {
  testkit::StubFrames frames;
  const std::string out = rewritten(kFrame, Output::table, frames);
  EXPECT_EQ(std::ranges::count(out, '\n'), 3);
  EXPECT_NE(out.find("poke                                      a.c:8:3 [inlined]\n"), out.npos) << out;
  EXPECT_NE(out.find("     1    #1  srv                   outer"), out.npos) << out;
}

TEST(Rewriter, ManyModules) {
  testkit::StubFrames frames;
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text +=
        fmt::format("{0:x}-{1:x} r-xp 00000000 fe:00 1 /lib/m{2}\n", 0x10000 * (i + 1), 0x10000 * (i + 1) + 0x1000, i);
  text += "0x10010\n";
  rewritten(text, Output::text, frames);
  EXPECT_EQ(frames.asked, std::vector<std::string>{"F 0x10 /lib/m0 at"});
}

}  // namespace
}  // namespace symcached::traces
