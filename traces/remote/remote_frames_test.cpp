#include "traces/remote/remote_frames.hpp"

#include <gtest/gtest.h>

#include "traces/remote/stack_request.hpp"

namespace symcached::traces {
namespace {

FrameQuestion at(std::uint64_t value, std::string build_id = "aabb", NumberKind kind = NumberKind::image) {
  return {.module = "/opt/srv", .build_id = std::move(build_id), .kind = kind, .value = value};
}

/// Names every frame, and remembers how many it was asked for.
struct Server {
  std::vector<std::size_t> asked;
  std::string error;
  bool explains = true;
  RemoteFrames::Ask ask() {
    return [this](const std::string&, std::size_t frames) -> std::expected<StackCompleted, std::string> {
      asked.push_back(frames);
      if (!error.empty()) return std::unexpected(error);
      StackCompleted answer;
      answer.frames.assign(frames, {{.function = "f", .file = "a.c", .line = 1}});
      answer.frames.back().clear();
      answer.modules = {{.status = "missing"}};
      if (explains) answer.explanations = {{.module = 0, .frames = 1, .advice = {"why", "how"}}};
      return answer;
    };
  }
};

TEST(RemoteFrames, AskInBatchesForWhatCanBeAsked) {
  std::vector<FrameQuestion> questions(kBatchFrames + 2, at(0x10));
  questions[0] = at(0x10, "");
  questions[1] = at(0x10, "aabb", NumberKind::named);
  questions[2] = at(0x10, "aabb", NumberKind::link);
  std::vector<Resolved> answers(questions.size());
  Server server;
  RemoteFrames frames(server.ask(), true);
  frames.resolve(questions, answers);
  EXPECT_EQ(server.asked, (std::vector<std::size_t>{kBatchFrames}));
  EXPECT_EQ(answers[0].status, Status::no_debug_file) << "it has no id";
  EXPECT_EQ(answers[1].status, Status::no_map);
  EXPECT_EQ(answers[2].status, Status::unverified) << "the text does not say where the image begins";
  EXPECT_EQ(answers[2].lookup, 0x10u);
  EXPECT_EQ(answers[3].status, Status::ok);
  EXPECT_EQ(answers[3].frames.front().function, "f");
  EXPECT_EQ(answers.back().status, Status::no_debug_file);
  const auto explained = frames.explanations();
  ASSERT_EQ(explained.size(), 3u);
  EXPECT_EQ(explained[1].advice.reason, "this module has no id that its files can be found by");
  EXPECT_EQ(explained[2].advice.reason, "why");
  EXPECT_EQ(explained[2].module, "/opt/srv");
}

TEST(RemoteFrames, ExplainWhatTheServerDoesNot) {
  Server server{.explains = false};
  RemoteFrames frames(server.ask(), true);
  const FrameQuestion question = at(0x10);
  Resolved answer;
  frames.resolve({&question, 1}, {&answer, 1});
  ASSERT_EQ(frames.explanations().size(), 1u);
  EXPECT_EQ(frames.explanations()[0].advice.reason, "there is no source to ask");
}

TEST(RemoteFrames, AskNoMoreAfterAnError) {
  Server server{.error = "http://s: HTTP status 500"};
  RemoteFrames frames(server.ask(), false);
  const FrameQuestion question = at(0x10);
  Resolved answer;
  for (int i = 0; i < 3; ++i) frames.resolve({&question, 1}, {&answer, 1});
  EXPECT_EQ(server.asked.size(), 1u);
  EXPECT_EQ(frames.error(), server.error);
  EXPECT_EQ(answer.status, Status::no_debug_file);
}

}  // namespace
}  // namespace symcached::traces
