#include "service/request_progress.hpp"

#include <gtest/gtest.h>

namespace symcached::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Time = std::chrono::steady_clock::time_point;

constexpr Time kStart{seconds(1000)};

std::string text_of(const RequestProgress::Body& body) { return body ? *body : "nothing"; }

TEST(RequestProgress, IsMadeOnceASecond) {
  const auto budget = std::make_shared<PartialBudget>(1000);
  RequestProgress progress(budget);
  EXPECT_EQ(text_of(progress.partial("a", seconds(1), kStart)), "nothing");
  int made = 0;
  progress.offer([&](std::string_view id, seconds retry_in) {
    return std::string(id) + std::to_string(retry_in.count()) + "-" + std::to_string(++made);
  });
  EXPECT_EQ(text_of(progress.partial("a", seconds(7), kStart)), "a7-1");
  EXPECT_EQ(text_of(progress.partial("a", seconds(7), kStart + milliseconds(999))), "a7-1");
  EXPECT_EQ(text_of(progress.partial("a", seconds(7), kStart + seconds(1))), "a7-2");
  EXPECT_EQ(budget->used, 4u) << "the last one alone";
}

TEST(RequestProgress, HasABudget) {
  const auto budget = std::make_shared<PartialBudget>(10);
  {
    RequestProgress one(budget), other(budget);
    for (RequestProgress* const progress : {&one, &other})
      progress->offer([](std::string_view, seconds) { return std::string("6bytes"); });
    EXPECT_EQ(text_of(one.partial("a", seconds(1), kStart)), "6bytes");
    EXPECT_EQ(text_of(other.partial("a", seconds(1), kStart)), "nothing") << "there is no room";
    EXPECT_EQ(budget->used, 6u);
  }
  EXPECT_EQ(budget->used, 0u) << "both are gone";
}

TEST(RequestProgress, MayHaveNothingToSay) {
  RequestProgress progress(std::make_shared<PartialBudget>(10));
  progress.offer([](std::string_view, seconds) { return std::string(); });
  EXPECT_EQ(text_of(progress.partial("a", seconds(1), kStart)), "nothing");
  progress.offer([](std::string_view, seconds) -> std::string { throw std::runtime_error("a fault"); });
  EXPECT_THROW(progress.partial("a", seconds(1), kStart + seconds(1)), std::runtime_error);
  progress.offer([](std::string_view, seconds) { return std::string("again"); });
  EXPECT_EQ(text_of(progress.partial("a", seconds(1), kStart + seconds(2))), "again");
}

}  // namespace
}  // namespace symcached::service
