#include "service/resolver.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "testing/server/eventually.hpp"
#include "testing/server/scripted_source.hpp"
#include "testing/server/service_fixture.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;
using ::testing::StartsWith;

/// Two sources that say what a test tells them to.
class SourcesTest : public ServiceTest {
 protected:
  using Kind = fetch::TransientError::Kind;
  using Says = std::function<fetch::Outcome()>;

  void start(RetryPolicy retry = {}) {
    serve({}, settled());
    service_->use(both(), retry);
  }
  std::vector<std::unique_ptr<fetch::Source>> both() {
    std::vector<std::unique_ptr<fetch::Source>> sources;
    sources.push_back(std::make_unique<ScriptedSource>("first", first_));
    sources.push_back(std::make_unique<ScriptedSource>("second", second_));
    return sources;
  }
  static Says error(Kind kind, std::optional<seconds> retry_after = {}) {
    return [=] { return fetch::TransientError{"no", false, retry_after, kind}; };
  }
  Says has(std::string_view content) {
    symbols_.write("original", fake_pdb(content));
    return [this]() -> fetch::Outcome {
      const auto path = symbols_.path() / "original";
      return fetch::Original{.file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
                             .size = std::filesystem::file_size(path)};
    };
  }
  /// All times are over at once but those of `state`, which are a day.
  static RetryPolicy only(BackOff RetryPolicy::* state) {
    RetryPolicy policy;
    const BackOff none{seconds(0), seconds(0)}, day{seconds(86400), seconds(86400)};
    policy.absent = policy.malformed = seconds(0);
    policy.unavailable = policy.timed_out = policy.forbidden = policy.rate_limited = policy.not_whole = none;
    if (state != nullptr) policy.*state = day;
    return policy;
  }

  const store::EntryKey kKey{kSymcaches, "global", "crash.pdb/" + std::string(kGuid) + "1"};
  Script first_, second_;
};

TEST_F(SourcesTest, OnlyThoseAreAskedAgainWhoseTimeHasCome) {
  struct Row {
    Kind kind;
    BackOff RetryPolicy::* its_time;
  };
  const Row rows[] = {{Kind::unavailable, &RetryPolicy::unavailable},
                      {Kind::timed_out, &RetryPolicy::timed_out},
                      {Kind::forbidden, &RetryPolicy::forbidden},
                      {Kind::rate_limited, &RetryPolicy::rate_limited}};
  for (const Row& r : rows) {
    first_ = {.open = error(r.kind)};
    second_ = {};
    start(only(r.its_time));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(find(), "soft no");
    EXPECT_EQ(first_.opened, 1) << static_cast<int>(r.kind);
    EXPECT_EQ(second_.opened, 3) << static_cast<int>(r.kind);
  }
}

TEST_F(SourcesTest, AnEarlierAnswerOfAllCountsUntilTheFirstMayBeAskedAgain) {
  first_.open = error(Kind::rate_limited, seconds(60));
  start();
  EXPECT_EQ(find(), "soft no");
  EXPECT_EQ(find(), "soft no");
  EXPECT_EQ(first_.opened + second_.opened, 2);
}

TEST_F(SourcesTest, OtherCredentialsAreTriedAtOnce) {
  first_ = {.open = error(Kind::forbidden), .credentials = 1};
  start();
  EXPECT_EQ(find(), "soft no");
  service_->use(both(), {});
  EXPECT_EQ(find(), "soft no");
  EXPECT_EQ(first_.opened, 1) << "the same credentials";
  first_.credentials = 2;
  first_.open = has("it");
  service_->use(both(), {});
  EXPECT_EQ(find(), "ready cache of it");
  EXPECT_EQ(second_.opened, 1) << "it said no an instant ago";
}

TEST_F(SourcesTest, AnAbsenceOnDiskIsThatOfTheSourcesThatWereAsked) {
  start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(find(), "absent");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(store_->path_of(kKey)); }));
  EXPECT_EQ(first_.opened, 1);
  service_.reset();
  store_ = std::move(*store::Store::open(cache_.path(), 2));
  start();
  EXPECT_EQ(find(), "absent");
  EXPECT_EQ(first_.opened, 1) << "on disk";
  second_.open = has("it");
  std::vector<std::unique_ptr<fetch::Source>> other;
  other.push_back(std::make_unique<ScriptedSource>("third", second_));
  service_->use(std::move(other), {});
  EXPECT_EQ(find(), "ready cache of it");
}

}  // namespace
}  // namespace symcached::service
