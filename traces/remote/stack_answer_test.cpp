#include "traces/remote/stack_answer.hpp"

#include <gtest/gtest.h>

namespace symcached::traces {
namespace {

TEST(StackAnswer, HasFramesInTheirPlaces) {
  const auto answer = parse_stack_answer(R"x({"status":"completed","stacktraces":[{"frames":[
      {"status":"symbolicated","original_index":0,"function":"inner()","symbol":"_Z5innerv","abs_path":"/s/a.h",
       "filename":"a.h","lineno":3,"colno":5},
      {"status":"symbolicated","original_index":0,"symbol":"outer","filename":"b.c","lineno":9},
      {"status":"missing","original_index":1,"function":"of the client"},
      {"status":"symbolicated","original_index":7,"function":"nobody asked"}, 5]}],
      "modules":[{"debug_status":"missing","candidates":[{"source":"s","location":"l",
                  "download":{"status":"noperm","details":"403 Forbidden"}}]}]})x",
                                         2);
  ASSERT_TRUE(answer) << answer.error();
  const auto& done = std::get<StackCompleted>(*answer);
  ASSERT_EQ(done.frames.size(), 2u);
  ASSERT_EQ(done.frames[0].size(), 2u);
  EXPECT_EQ(done.frames[0][0].function, "inner()");
  EXPECT_EQ(done.frames[0][0].file, "/s/a.h");
  EXPECT_EQ(done.frames[0][0].column, 5u);
  EXPECT_TRUE(done.frames[0][0].is_inlined);
  EXPECT_EQ(done.frames[0][1].function, "outer");
  EXPECT_FALSE(done.frames[0][1].is_inlined);
  EXPECT_TRUE(done.frames[1].empty());
  EXPECT_FALSE(done.explanations);
  ASSERT_EQ(done.modules.size(), 1u);
  EXPECT_EQ(done.modules[0].status, "missing");
  EXPECT_EQ(done.modules[0].candidates[0].download, stacks::DownloadStatus::no_permission);
  EXPECT_EQ(done.modules[0].candidates[0].details, "403 Forbidden");
}

TEST(StackAnswer, HasWhatTheServerExplains) {
  const auto answer = parse_stack_answer(R"({"status":"completed","explanations":[
      {"module":1,"frame_count":7,"reason":"why","fix":"how",
       "asked":[{"source":"s","location":"l","status":"notfound"}]},
      {"reason":"no module"}]})",
                                         0);
  ASSERT_TRUE(answer) << answer.error();
  const auto& all = *std::get<StackCompleted>(*answer).explanations;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].module, 1u);
  EXPECT_EQ(all[0].frames, 7u);
  EXPECT_EQ(all[0].advice.fix, "how");
  EXPECT_EQ(all[0].asked[0].download, stacks::DownloadStatus::not_found);
  EXPECT_FALSE(all[1].module);
}

TEST(StackAnswer, MayComeLater) {
  struct Row {
    std::string_view body;
    int seconds;
  };
  const Row rows[] = {
      {R"({"status":"pending","request_id":"a-1","retry_after":30})", 30},
      {R"({"status":"pending","request_id":"a-1","retry_after":1.5})", 1},
      {R"({"status":"pending","request_id":"a-1","retry_after":-4})", 1},
      {R"({"status":"pending","request_id":"a-1","retry_after":1e9})", 300},
      {R"({"status":"pending","request_id":"a-1","retry_after":"soon"})", 1},
      {R"({"status":"pending","request_id":"a-1"})", 1},
  };
  for (const Row& row : rows) {
    const auto answer = parse_stack_answer(row.body, 1);
    ASSERT_TRUE(answer) << row.body;
    EXPECT_EQ(std::get<StackPending>(*answer).retry_after.count(), row.seconds) << row.body;
  }
}

TEST(StackAnswer, SaysWhatIsWrong) {
  struct Row {
    std::string_view body, want;
  };
  const Row rows[] = {
      {"<html>", "the answer is no JSON object; this is no server with Symbolicator's API"},
      {"[]", "the answer is no JSON object; this is no server with Symbolicator's API"},
      {R"({"ok":true})", "the answer has no status; this is no server with Symbolicator's API"},
      {R"({"status":"pending","request_id":"../x"})", "the answer is pending and has no request_id to ask by"},
      {R"({"status":"failed","message":"too large"})", "the server ended the request as failed: too large"},
      {R"({"status":"timeout"})", "the server ended the request as timeout"},
  };
  for (const Row& row : rows) {
    const auto answer = parse_stack_answer(row.body, 1);
    ASSERT_FALSE(answer) << row.body;
    EXPECT_EQ(answer.error(), row.want);
  }
}

TEST(StackAnswer, HasADetailWhereItIsAnError) {
  EXPECT_EQ(error_detail(R"({"detail":"no such thing"})"), "no such thing");
  for (const std::string_view body : {"", "no", "[]", R"({"detail":null})"}) EXPECT_EQ(error_detail(body), "");
}

}  // namespace
}  // namespace symcached::traces
