#include "service/cache_service.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>

#include "testing/server/service_fixture.hpp"

namespace symcached::service {
namespace {

using ::testing::HasSubstr;

TEST_F(ServiceTest, ConvertsOnceForManyAtOnce) {
  symbols_.write(kPath, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  CacheService& service = serve({symbols_.path().string()});
  constexpr int kAskers = 200;
  int ready = 0;
  int asked = 0;
  boost::asio::io_context context;
  for (int i = 0; i < kAskers; ++i) {
    boost::asio::co_spawn(context, service.find(kQuery, kLong), [&](std::exception_ptr, const Outcome& outcome) {
      if (describe(outcome) == "ready cache of it") ++ready;
    });
    boost::asio::post(context, [&] {
      if (++asked == kAskers) open.set_value();  // every asker has begun to wait by now
    });
  }
  context.run();
  EXPECT_EQ(ready, kAskers);
  EXPECT_EQ(conversions_, 1);
  EXPECT_THAT(log(), HasSubstr("converted crash.pdb/" + std::string(kGuid) + "1 in "));
}

TEST_F(ServiceTest, TheWorkSurvivesTheOneWhoAsked) {
  symbols_.write(kPath, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  serve({symbols_.path().string()});
  EXPECT_EQ(find(kQuery, milliseconds(0)), "pending");
  EXPECT_EQ(find(kQuery, milliseconds(1)), "pending");
  {
    boost::asio::io_context abandoned;
    boost::asio::co_spawn(abandoned, service_->find(kQuery, kLong), [](std::exception_ptr, const Outcome&) {});
    abandoned.poll();
  }
  open.set_value();
  EXPECT_EQ(find(), "ready cache of it");
  EXPECT_EQ(conversions_, 1);
}

TEST_F(ServiceTest, ServesFromTheCacheWhateverTheCaseOfTheName) {
  symbols_.write(kPath, fake_pdb("it"));
  serve({symbols_.path().string()});
  EXPECT_FALSE(service_->peek(kQuery));
  EXPECT_EQ(find(), "ready cache of it");
  EXPECT_EQ(find(query_of("CRASH.pdb", kId)), "ready cache of it");
  EXPECT_EQ(conversions_, 1);
  EXPECT_EQ(describe(*service_->peek(kQuery)), "ready cache of it");
}

TEST_F(ServiceTest, AfterARestartTheCacheIsServedEvenToThoseWhoDoNotWait) {
  symbols_.write(kPath, fake_pdb("it"));
  serve({symbols_.path().string()});
  EXPECT_EQ(find(), "ready cache of it");
  service_.reset();
  store_ = std::move(*store::Store::open(cache_.path(), 2));
  serve({});
  EXPECT_EQ(find(kQuery, milliseconds(0)), "ready cache of it");
  EXPECT_EQ(conversions_, 1);
}

TEST_F(ServiceTest, RemembersEachKindOfNo) {
  struct Row {
    std::string_view why;
    http::Response answer;
    std::string_view want;
  };
  const Row rows[] = {
      {"absent", http::text(404, "no"), "absent"},
      {"soft", http::text(503, "no"), "soft"},
      {"refused", {200, {}, "PK"}, "refused"},
      {"cannot be converted", {200, {}, fake_pdb("broken")}, "pdb.stream: broken"},
  };
  for (const Row& r : rows) {
    FakeUpstream upstream;
    upstream.put("/index2.txt", http::text(404, "no"));
    upstream.answer_all_with(r.answer);
    serve({upstream.url()});
    const CacheQuery query = query_of(std::string(r.why) + ".pdb", kId);
    EXPECT_THAT(find(query), HasSubstr(r.want)) << r.why;
    const std::size_t asked = upstream.asked().size();
    EXPECT_THAT(find(query), HasSubstr(r.want)) << r.why;
    EXPECT_EQ(upstream.asked().size(), asked) << r.why << ": asked again although remembered";
  }
}

TEST_F(ServiceTest, RefusesAnotherPdbUnderTheName) {
  const DebugId other{kId.guid, 2};
  symbols_.write("crash.pdb/" + std::string(kGuid) + "2/crash.pdb", fake_pdb("it"));
  serve({symbols_.path().string()});
  EXPECT_THAT(find(query_of("crash.pdb", other)), HasSubstr("refused"));
  EXPECT_THAT(log(), HasSubstr("is " + std::string(kGuid) + "1, expected " + std::string(kGuid) + "2"));
}

TEST_F(ServiceTest, GoesOnToTheNextSource) {
  const TempFolder bad;
  bad.write(kPath, fake_pdb("broken"));
  symbols_.write(kPath, fake_pdb("good"));
  serve({bad.path().string(), symbols_.path().string()});
  EXPECT_EQ(find(), "ready cache of good");
}

TEST_F(ServiceTest, AWrongDownloadIsNotKept) {
  FakeUpstream upstream;
  upstream.put("/" + kPath, {200, {}, fake_pdb("broken")});
  ServiceOptions impatient;
  impatient.retry.malformed = impatient.retry.not_whole.first = std::chrono::seconds(0);
  serve({upstream.url()}, impatient);
  find();
  upstream.put("/" + kPath, {200, {}, fake_pdb("mended")});
  EXPECT_EQ(find(), "ready cache of mended");
}

TEST_F(ServiceTest, TooManyKeysAtOnceAreTurnedAway) {
  symbols_.write(kPath, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  ServiceOptions options;
  options.jobs.max_jobs = 1;
  serve({symbols_.path().string()}, options);
  EXPECT_EQ(find(kQuery, milliseconds(0)), "pending");
  EXPECT_EQ(find(query_of("other.pdb", kId), milliseconds(0)), "overloaded");
  open.set_value();
  EXPECT_EQ(find(), "ready cache of it");
}

TEST_F(ServiceTest, DrainLetsHoldersGo) {
  symbols_.write(kPath, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  CacheService& service = serve({symbols_.path().string()});
  boost::asio::io_context context;
  std::string got;
  boost::asio::co_spawn(context, service.find(kQuery, kLong),
                        [&](std::exception_ptr, const Outcome& outcome) { got = describe(outcome); });
  boost::asio::post(context, [&] { service.drain(); });
  context.run();
  EXPECT_EQ(got, "pending");
  EXPECT_EQ(find(query_of("other.pdb", kId)), "overloaded") << "nothing new is begun";
  open.set_value();
  service_->stop();
}

TEST(BackOff, DoublesUpToAnHour) {
  using std::chrono::seconds;
  struct Row {
    int failures;
    seconds want;
  };
  for (const Row& r : {Row{1, seconds(60)}, Row{2, seconds(120)}, Row{6, seconds(1920)}, Row{7, seconds(3600)},
                       Row{65535, seconds(3600)}, Row{0, seconds(60)}})
    EXPECT_EQ(RetryPolicy{}.unavailable.after(r.failures), r.want) << r.failures;
}

}  // namespace
}  // namespace symcached::service
