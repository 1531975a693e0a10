#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "service/verdicts.hpp"
#include "testing/server/process.hpp"
#include "testing/server/service_fixture.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Failures : public ServiceTest {
 protected:
  /// Nothing that failed counts any more, but a look at what is there now.
  static ServiceOptions impatient() {
    ServiceOptions options = settled();
    options.retry.crashed = options.retry.not_whole = options.retry.unavailable = {seconds(0), seconds(0)};
    return options;
  }
  Failed failed_now() {
    const Outcome outcome = run_task(service_->find(kQuery, kLong));
    const auto* failed = std::get_if<Failed>(&outcome);
    EXPECT_NE(failed, nullptr) << describe(outcome);
    return failed == nullptr ? Failed{} : *failed;
  }
};

TEST_F(Failures, AfterThreeDeathsOnOneOriginalItIsGivenUp) {
  symbols_.write(kPath, fake_pdb("deadly"));
  serve({symbols_.path().string()}, impatient());
  EXPECT_EQ(failed_now().failures, 1);
  EXPECT_EQ(failed_now().failures, 2);
  const Failed last = failed_now();
  EXPECT_TRUE(last.lasting);
  EXPECT_THAT(last.why, AllOf(HasSubstr("crashed 3 workers in a row"), HasSubstr("signal 11")));
  EXPECT_EQ(conversions_, 3);
  failed_now();
  EXPECT_EQ(conversions_, 3) << "given up";
}

TEST_F(Failures, ADeathIsRememberedForAWhile) {
  symbols_.write(kPath, fake_pdb("deadly"));
  serve({symbols_.path().string()});
  const Failed first = failed_now();
  EXPECT_FALSE(first.lasting);
  EXPECT_EQ(first.retry_in, settled().retry.crashed.first);
  EXPECT_EQ(failed_now().failures, 1);
  EXPECT_EQ(conversions_, 1);
}

TEST_F(Failures, AnOriginalThatChangedIsTriedAgainAtOnce) {
  for (const std::string_view content : {"broken", "deadly", "moving"}) {
    symbols_.write(kPath, fake_pdb(content));
    serve({symbols_.path().string()});
    store_->remove({kSymcaches.now, "global", "crash.pdb/" + std::string(kGuid) + "1"});
    conversions_ = 0;
    EXPECT_THAT(find(), AllOf(HasSubstr("crash.pdb"), Not(HasSubstr("ready")))) << content;
    EXPECT_THAT(find(), Not(HasSubstr("ready"))) << content;
    EXPECT_EQ(conversions_, 1) << content << ": it is remembered";
    symbols_.write(kPath, fake_pdb("mended, and longer"));
    EXPECT_EQ(find(), "ready cache of mended, and longer") << content;
  }
}

TEST_F(Failures, AServerIsAskedNowAndThenWhetherARefusedFileChanged) {
  FakeUpstream upstream;
  upstream.put("/" + kPath, {200, {{"ETag", "\"one\""}}, fake_pdb("broken")});
  ServiceOptions options = settled();
  options.retry.identify_again = seconds(0);
  serve({upstream.url()}, options);
  EXPECT_THAT(find(), StartsWith("refused"));
  EXPECT_THAT(find(), StartsWith("refused")) << "too soon to ask";
  EXPECT_THAT(find(), StartsWith("refused")) << "asked: it is the same";
  EXPECT_EQ(conversions_, 1);
  upstream.put("/" + kPath, {200, {{"ETag", "\"two\""}}, fake_pdb("mended")});
  EXPECT_EQ(find(), "ready cache of mended");
}

TEST_F(Failures, WhatWasJustWrittenIsNotWholeYet) {
  symbols_.write(kPath, fake_pdb("broken"));
  serve({symbols_.path().string()}, ServiceOptions{});
  const Failed failed = failed_now();
  EXPECT_FALSE(failed.lasting);
  EXPECT_EQ(failed.retry_in, seconds(1));
  const auto path = symbols_.path() / kPath;
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_TRUE(failed_now().lasting) << "nobody is writing it any more";
}

TEST_F(Failures, WhatThisMachineLacksIsNotRemembered) {
  symbols_.write(kPath, fake_pdb("unlucky"));
  serve({symbols_.path().string()});
  EXPECT_EQ(find(), "unable cannot start a worker process: Too many open files");
  EXPECT_EQ(find(), "unable cannot start a worker process: Too many open files");
  EXPECT_EQ(conversions_, 2);
  EXPECT_TRUE(std::holds_alternative<store::Miss>(
      store_->lookup({kSymcaches.now, "global", "crash.pdb/" + std::string(kGuid) + "1"})));
}

TEST_F(Failures, AFullDiskIsNotTriedAgainForEachRequest) {
  symbols_.write(kPath, fake_pdb("it"));
  serve({symbols_.path().string()});
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const ScopedLimit tiny(RLIMIT_FSIZE, 100);  // bytes of any file, which is what a full disk looks like
  EXPECT_THAT(find(), AllOf(StartsWith("unable"), HasSubstr("File too large")));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(find(), StartsWith("unable"));
  EXPECT_EQ(conversions_, 1);
  std::signal(SIGXFSZ, before);
}

TEST_F(Failures, OnlySoManyKeysHaveFilesOpenAtOnce) {
  const CacheQuery queries[] = {query_of("a.pdb", kId), query_of("b.pdb", kId), query_of("c.pdb", kId)};
  for (const CacheQuery& query : queries)
    symbols_.write(query.module.debug_file + "/" + std::string(kGuid) + "1/" + query.module.debug_file, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  ServiceOptions options = settled();
  options.jobs.max_active = 1;
  options.threads = 2;
  serve({symbols_.path().string()}, options);
  for (const CacheQuery& query : queries) EXPECT_EQ(find(query, milliseconds(0)), "pending");
  while (conversions_ == 0) std::this_thread::yield();
  EXPECT_EQ(conversions_, 1);
  open.set_value();
  for (const CacheQuery& query : queries) EXPECT_EQ(find(query), "ready cache of it") << query.module.debug_file;
}

TEST_F(Failures, TooManyWhoWaitAreTurnedAway) {
  symbols_.write(kPath, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  ServiceOptions options = settled();
  options.jobs.max_held = 0;
  serve({symbols_.path().string()}, options);
  EXPECT_EQ(find(), "overloaded");
  EXPECT_EQ(find(kQuery, milliseconds(0)), "pending") << "who does not wait does not count";
  open.set_value();
}

TEST_F(Failures, ManyUnknownKeysLeaveNoFiles) {
  serve({symbols_.path().string()});
  const auto files = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_.path()))
      count += entry.is_regular_file();
    return count;
  };
  EXPECT_EQ(find(query_of("none.pdb", {kId.guid, 0})), "absent");
  const std::size_t before = files();
  for (std::uint32_t age = 1; age < 300; ++age) EXPECT_EQ(find(query_of("none.pdb", {kId.guid, age})), "absent");
  EXPECT_EQ(files(), before);
}

const store::TimePoint kNow = store::Store::now();

template <class State>
store::Negative failing(std::string why, seconds in, std::string identity = {}) {
  return State{{kNow, kNow + in, 1, std::move(why), std::move(identity)}};
}

TEST(Verdicts, AllSourcesTogetherSayWhatSaysMost) {
  const store::Negative absent = store::Absent{.checked = kNow, .retry_at = kNow + seconds(3600)};
  const auto refused = failing<store::Malformed>("a: id is 1, expected 2", seconds(86400), "size=1");
  const auto limited = failing<store::RateLimited>("b: HTTP status 429", seconds(2));
  const auto forbidden = failing<store::Forbidden>("c: HTTP status 403", seconds(300));
  const auto cut = failing<store::NotWhole>("d: cut", seconds(1), "size=9");
  const auto long_ago = failing<store::NotWhole>("e: cut", seconds(-5));
  const auto native = failing<store::Unsupported>("f: native", seconds(86400));
  const store::Negative bare = store::Malformed{{kNow, kNow + seconds(86400), 1, "g: bare"}, true};
  struct Row {
    std::string_view what;
    std::vector<store::Negative> verdicts;
    std::size_t index;
    std::string_view why;
    seconds retry_in;
    std::string_view identity;
  };
  const auto index_of = [](const store::Negative& n) { return n.index(); };
  const Row rows[] = {
      {"no sources", {}, index_of(absent), "", seconds(3600), ""},
      {"all say no", {absent, absent}, index_of(absent), "", seconds(3600), ""},
      {"one is no use", {absent, refused}, index_of(refused), "a: id is 1, expected 2", seconds(3600), "size=1"},
      {"all is no use", {refused}, index_of(refused), "a: id is 1, expected 2", seconds(86400), "size=1"},
      {"the time of one is over before the other has answered",
       {long_ago, forbidden},
       index_of(long_ago),
       "e: cut; c: HTTP status 403",
       seconds(1),
       ""},
      {"one has only a PDB of native code, one a damaged file",
       {refused, native},
       index_of(native),
       "f: native; a: id is 1, expected 2",
       seconds(86400),
       "size=1"},
      {"one has a file without symbols, one a damaged file",
       {bare, refused},
       index_of(refused),
       "a: id is 1, expected 2; g: bare",
       seconds(86400),
       "size=1"},
      {"one wants to be left alone for two seconds",
       {absent, limited, absent},
       index_of(limited),
       "b: HTTP status 429",
       seconds(2),
       ""},
      {"one answers and is no use, one does not",
       {refused, forbidden},
       index_of(forbidden),
       "c: HTTP status 403; a: id is 1, expected 2",
       seconds(300),
       "size=1"},
      {"the first to be asked again is not the one that says most",
       {cut, forbidden},
       index_of(cut),
       "d: cut; c: HTTP status 403",
       seconds(1),
       "size=9"},
  };
  for (const Row& r : rows) {
    const store::Negative all = combined(r.verdicts, "asked", RetryPolicy{});
    EXPECT_EQ(all.index(), r.index) << r.what;
    EXPECT_EQ(identity_of(all), r.identity) << r.what;
    EXPECT_LE(retry_at(all) - kNow, r.retry_in + seconds(60)) << r.what;
    EXPECT_GE(retry_at(all) - kNow, r.retry_in) << r.what;
    const Outcome outcome = outcome_of(all);
    const auto* failed = std::get_if<Failed>(&outcome);
    EXPECT_EQ(failed == nullptr ? "" : failed->why, r.why) << r.what;
  }
  EXPECT_EQ(std::get<store::Absent>(combined({}, "asked", {})).asked, "asked");
}

TEST(Verdicts, EachStateHasItsOwnTimeAndDoubles) {
  using Kind = fetch::TransientError::Kind;
  const RetryPolicy policy;
  struct Row {
    std::string_view why;
    fetch::Outcome got;
    seconds first, second;
  };
  const auto error = [](Kind kind, std::optional<seconds> after = {}) {
    return fetch::TransientError{"why", false, after, kind};
  };
  const Row rows[] = {
      {"absent", fetch::NotThere{}, seconds(3600), seconds(3600)},
      {"no use", fetch::Refused{"why"}, seconds(86400), seconds(86400)},
      {"cut", fetch::NotWhole{"why"}, seconds(1), seconds(2)},
      {"no connection", error(Kind::unavailable), seconds(60), seconds(120)},
      {"too slow", error(Kind::timed_out), seconds(60), seconds(120)},
      {"403", error(Kind::forbidden), seconds(300), seconds(600)},
      {"429 without a time", error(Kind::rate_limited), seconds(10), seconds(20)},
      {"429 with a time: two seconds are two seconds", error(Kind::rate_limited, seconds(2)), seconds(2), seconds(2)},
  };
  const auto wait = [](const store::Negative& n) {
    return std::visit([](const auto& state) { return state.retry_at - state.checked; }, n);
  };
  for (const Row& r : rows) {
    const store::Negative first = verdict_of(r.got, std::nullopt, policy);
    EXPECT_EQ(wait(first), r.first) << r.why;
    EXPECT_EQ(wait(verdict_of(r.got, first, policy)), r.second) << r.why;
    const store::Negative other = failing<store::Crashed>("", seconds(1));
    EXPECT_EQ(wait(verdict_of(r.got, other, policy)), r.first) << r.why << ", after something else";
  }
}

TEST(Limits, GrowWithTheFile) {
  const LimitRules rules;
  const worker::Limits small = limits_for(0, rules);
  EXPECT_EQ(small.address_space, std::uint64_t{1} << 30);
  EXPECT_EQ(small.processor, seconds(20));
  EXPECT_EQ(small.deadline, seconds(40));
  const worker::Limits large = limits_for(std::uint64_t{1} << 30, rules);
  EXPECT_EQ(large.address_space, std::uint64_t{9} << 30);
  EXPECT_EQ(large.processor, seconds(20 + 512));
  const worker::Limits absurd = limits_for(~std::uint64_t{0}, rules);
  EXPECT_LT(large.address_space, absurd.address_space);
  EXPECT_LT(large.deadline, absurd.deadline);
}

TEST(DerivedNotes, AreReadAsTheyAreWritten) {
  const DerivedNote note{symbolize::CacheKind::ppdbcache, symbolize::Contents::lines, {kId.guid, 0xABCDEF01}};
  const std::string text = note.text();
  EXPECT_EQ(text, "ppdbcache lines ---- " + std::string(kGuid) + "abcdef01");
  const auto read = DerivedNote::parse(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), text);
  for (std::size_t n = 0; n + 8 < text.size(); ++n) EXPECT_FALSE(DerivedNote::parse(text.substr(0, n))) << n;
  for (const std::string_view bad : {" lines x", "cficache lines 1", "symcache line 1", "a b c d"})
    EXPECT_FALSE(DerivedNote::parse(bad)) << bad;
}

TEST(Extents, AreReadAsTheyAreWritten) {
  const auto read = Extent::parse(Extent{4096, 77}.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->offset, 4096u);
  EXPECT_EQ(read->size, 77u);
  for (const std::string_view bad : {"", "1", "1 ", "1 2 ", "1  2", "-1 2", "1 2 3", "1 99999999999999999999", "a b"})
    EXPECT_FALSE(Extent::parse(bad)) << bad;
}

}  // namespace
}  // namespace symcached::service
