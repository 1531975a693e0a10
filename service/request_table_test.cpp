#include "service/request_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "net/run_task.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kUntilDone{60'000};
const Log kNoLog = [](Severity, const std::string&) {};

RequestTable::Text text(std::string_view text) { return std::make_shared<const std::string>(text); }

/// Answers with the text, when it may.
class Answers {
 public:
  RequestTable::Answer now() {
    return [this](RequestTable::Text text, std::shared_ptr<RequestProgress> progress) -> Task<RequestAnswer> {
      progress->offer([text](std::string_view id, seconds) { return fmt::format("part of {} for {}", *text, id); });
      ++asked;
      co_return RequestAnswer{200, "answer to " + *text};
    };
  }
  RequestTable::Answer when_open() {
    return [this](RequestTable::Text text, std::shared_ptr<RequestProgress> progress) -> Task<RequestAnswer> {
      progress->offer([text](std::string_view id, seconds) { return fmt::format("part of {} for {}", *text, id); });
      ++asked;
      gate.wait();
      co_return RequestAnswer{200, "answer to " + *text};
    };
  }
  std::latch gate{1};
  std::atomic<int> asked = 0;
};

std::string body_of(const RequestTable::Outcome& outcome) {
  const auto* answer = std::get_if<SharedAnswer>(&outcome);
  return answer == nullptr ? fmt::format("outcome {}", outcome.index()) : (*answer)->body;
}

class RequestTables : public ::testing::Test {
 protected:
  std::unique_ptr<store::Store> open() { return store::Store::open(folder_.path(), ++boot_).value(); }
  static RequestTable::Outcome ask(RequestTable& table, std::string_view what, milliseconds hold) {
    return run_task(table.ask("global", text(what), hold));
  }
  static RequestTable::Outcome poll(RequestTable& table, const std::string& id, milliseconds hold = kUntilDone) {
    return run_task(table.poll(id, hold));
  }

  Answers answers_;

 private:
  const TempFolder folder_;
  std::uint64_t boot_ = 0;
};

TEST_F(RequestTables, AnswerAtOnceOrByAnId) {
  const auto store = open();
  RequestTable table(*store, answers_.when_open(), {.threads = 2}, kNoLog);
  const auto pending = ask(table, "a", milliseconds(0));
  ASSERT_TRUE(std::holds_alternative<RequestTable::Pending>(pending));
  const std::string id = std::get<RequestTable::Pending>(pending).id;
  EXPECT_EQ(id.size(), 36u);
  answers_.gate.count_down();
  EXPECT_EQ(body_of(poll(table, id)), "answer to a");
  EXPECT_EQ(body_of(poll(table, id)), "answer to a") << "it is kept";
  EXPECT_EQ(body_of(ask(table, "b", kUntilDone)), "answer to b");
  EXPECT_EQ(answers_.asked, 2);
}

TEST_F(RequestTables, KnowNoOtherIds) {
  const auto store = open();
  RequestTable table(*store, answers_.now(), {.threads = 1}, kNoLog);
  for (const char* id : {"", "x", "00000000-0000-0000-0000-000000000000", "../../../../../../../../etc/passwd00"})
    EXPECT_TRUE(std::holds_alternative<RequestTable::Unknown>(poll(table, id))) << id;
}

TEST_F(RequestTables, DoOverWhatTheLastServerDidNotFinish) {
  std::string id;
  {
    const auto store = open();
    Answers never;
    RequestTable table(*store, never.when_open(), {.threads = 2}, kNoLog);
    id = std::get<RequestTable::Pending>(ask(table, "a", milliseconds(0))).id;
    while (never.asked == 0) std::this_thread::yield();
    table.drain();
    never.gate.count_down();
  }
  const auto store = open();
  RequestTable table(*store, answers_.now(), {.threads = 1}, kNoLog);
  EXPECT_EQ(body_of(poll(table, id)), "answer to a");
  EXPECT_EQ(answers_.asked, 1);
}

TEST_F(RequestTables, KeepAnswersForTheNextServer) {
  std::string id;
  {
    const auto store = open();
    RequestTable table(*store, answers_.when_open(), {.threads = 2}, kNoLog);
    id = std::get<RequestTable::Pending>(ask(table, "a", milliseconds(0))).id;
    answers_.gate.count_down();
    EXPECT_EQ(body_of(poll(table, id)), "answer to a");
  }
  const auto store = open();
  RequestTable table(*store, answers_.now(), {.threads = 1}, kNoLog);
  EXPECT_EQ(body_of(poll(table, id)), "answer to a");
  EXPECT_EQ(answers_.asked, 1) << "it was on disk";
}

TEST_F(RequestTables, TakeNoMoreThanTheyCanKeep) {
  const auto store = open();
  RequestTable table(*store, answers_.when_open(), {.jobs = {.max_jobs = 1}, .threads = 1}, kNoLog);
  EXPECT_TRUE(std::holds_alternative<RequestTable::Pending>(ask(table, "a", milliseconds(0))));
  EXPECT_TRUE(std::holds_alternative<RequestTable::Overloaded>(ask(table, "b", kUntilDone)));
  answers_.gate.count_down();
}

TEST_F(RequestTables, SayWhatIsKnownByNow) {
  const auto store = open();
  RequestTable table(*store, answers_.when_open(), {.threads = 2}, kNoLog);
  const auto pending = ask(table, "a", milliseconds(0));
  const std::string id = std::get<RequestTable::Pending>(pending).id;
  while (answers_.asked == 0) std::this_thread::yield();
  EXPECT_EQ(std::get<RequestTable::Pending>(poll(table, id, milliseconds(0))).partial, nullptr) << "nobody asked";
  RequestProgress::Body partial;
  while (!partial) partial = std::get<RequestTable::Pending>(run_task(table.poll(id, milliseconds(0), true))).partial;
  EXPECT_EQ(*partial, "part of a for " + id);
  answers_.gate.count_down();
  EXPECT_EQ(body_of(run_task(table.poll(id, kUntilDone, true))), "answer to a") << "what is done is whole";
}

TEST_F(RequestTables, ForgetWhatNobodyWants) {
  const auto store = open();
  RequestTable table(*store, answers_.when_open(), {.jobs = {.max_jobs = 2, .max_active = 1}, .threads = 2}, kNoLog);
  const auto begin = [&] { return std::get<RequestTable::Pending>(ask(table, "a", milliseconds(0))).id; };
  const auto is_unknown = [&](const std::string& id) {
    return std::holds_alternative<RequestTable::Unknown>(poll(table, id, milliseconds(0)));
  };
  const std::string worked_on = begin(), queued = begin();
  while (answers_.asked == 0) std::this_thread::yield();
  EXPECT_TRUE(run_task(table.cancel(queued)));
  EXPECT_EQ(table.counts().jobs, 1u) << "its place is free";
  EXPECT_TRUE(run_task(table.cancel(worked_on)));
  EXPECT_EQ(table.counts().active, 0u) << "it counts no longer";
  EXPECT_FALSE(run_task(table.cancel(worked_on))) << "it is gone";
  EXPECT_TRUE(is_unknown(queued) && is_unknown(worked_on));
  const std::string next = begin();
  answers_.gate.count_down();
  EXPECT_EQ(body_of(poll(table, next)), "answer to a");
  EXPECT_EQ(answers_.asked, 2) << "the one that was queued was never begun";
  EXPECT_TRUE(is_unknown(worked_on)) << "nobody learns how it ended";
  EXPECT_TRUE(run_task(table.cancel(next))) << "with its answer";
  EXPECT_TRUE(is_unknown(next));
  for (const char* id : {"", "x", "00000000-0000-0000-0000-000000000000"}) EXPECT_FALSE(run_task(table.cancel(id)));
}

TEST_F(RequestTables, ForgetFasterThanTheyWork) {
  const auto store = open();
  RequestTable table(*store, answers_.when_open(), {.jobs = {.max_jobs = 3, .max_active = 1}, .threads = 3}, kNoLog);
  for (int i = 0; i < 2; ++i) {
    const std::string id = std::get<RequestTable::Pending>(ask(table, "a", milliseconds(0))).id;
    while (answers_.asked == i) std::this_thread::yield();
    EXPECT_TRUE(run_task(table.cancel(id)));
  }
  EXPECT_EQ(table.counts().active, 1u) << "as many as may be active go on unseen; further ones count";
  answers_.gate.count_down();
}

TEST_F(RequestTables, SayThatSomethingWentWrong) {
  const auto store = open();
  const RequestTable::Answer throws = [](RequestTable::Text, std::shared_ptr<RequestProgress>) -> Task<RequestAnswer> {
    throw std::runtime_error("a fault");
    co_return RequestAnswer{};
  };
  std::string told;
  const RequestTable::OnEnd on_end = [&](const RequestEnd& end) {
    if (end.answer.result == RequestResult::internal_error) told = end.fault;
  };
  RequestTable table(*store, throws, {.threads = 1}, kNoLog, on_end);
  EXPECT_EQ(body_of(ask(table, "a", kUntilDone)), R"({"status":"internal_error"})");
  EXPECT_EQ(told, "a fault");
}

TEST_F(RequestTables, AreCounted) {
  const auto store = open();
  std::mutex mutex;
  std::vector<std::string> ended;
  const RequestTable::OnEnd on_end = [&](const RequestEnd& end) {
    const std::scoped_lock lock(mutex);
    EXPECT_GE(end.took, std::chrono::nanoseconds(0));
    ended.push_back(end.id + " " + end.answer.body);
  };
  RequestTable table(*store, answers_.when_open(), {.jobs = {.max_jobs = 2, .max_active = 1}, .threads = 2}, kNoLog,
                     on_end);
  const auto begin = [&] { return std::get<RequestTable::Pending>(ask(table, "a", milliseconds(0))).id; };
  const std::string first = begin(), second = begin();
  EXPECT_TRUE(std::holds_alternative<RequestTable::Overloaded>(ask(table, "a", milliseconds(0))));
  EXPECT_EQ(table.stats().refused, 1u);
  EXPECT_EQ(table.stats().active, 1u);
  EXPECT_EQ(table.stats().queued, 1u);
  EXPECT_TRUE(run_task(table.cancel(second)));
  EXPECT_FALSE(run_task(table.cancel(second)));
  EXPECT_EQ(table.stats().cancelled, 1u);
  EXPECT_EQ(table.stats().queued, 0u);
  answers_.gate.count_down();
  EXPECT_EQ(body_of(poll(table, first)), "answer to a");
  EXPECT_EQ(table.stats().kept, 1u);
  EXPECT_EQ(table.stats().kept_bytes, std::string("answer to a").size());
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(ended, std::vector{first + " answer to a"}) << "the cancelled one has no answer";
}

}  // namespace
}  // namespace symcached::service
