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
    store_->remove({kSymcaches, "global", "crash.pdb/" + std::string(kGuid) + "1"});
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
      store_->lookup({kSymcaches, "global", "crash.pdb/" + std::string(kGuid) + "1"})));
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
  const SymcacheQuery queries[] = {{"a.pdb", kId}, {"b.pdb", kId}, {"c.pdb", kId}};
  for (const SymcacheQuery& query : queries)
    symbols_.write(query.pdb_name + "/" + std::string(kGuid) + "1/" + query.pdb_name, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  ServiceOptions options = settled();
  options.max_active = 1;
  options.threads = 2;
  serve({symbols_.path().string()}, options);
  for (const SymcacheQuery& query : queries) EXPECT_EQ(find(query, milliseconds(0)), "pending");
  while (conversions_ == 0) std::this_thread::yield();
  EXPECT_EQ(conversions_, 1);
  open.set_value();
  for (const SymcacheQuery& query : queries) EXPECT_EQ(find(query), "ready cache of it") << query.pdb_name;
}

TEST_F(Failures, TooManyWhoWaitAreTurnedAway) {
  symbols_.write(kPath, fake_pdb("it"));
  std::promise<void> open;
  gate_ = open.get_future().share();
  ServiceOptions options = settled();
  options.max_held = 0;
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
  const std::size_t before = files();
  for (std::uint32_t age = 0; age < 300; ++age) EXPECT_EQ(find({"none.pdb", {kId.guid, age}}), "absent");
  EXPECT_EQ(files(), before);
}

TEST(Fingerprint, TellsWhichSourceHasSomethingElse) {
  Fingerprint made(3);
  made.set(0, "size=1 mtime=2.3 inode=4");
  made.set(2, "length=5 etag=\"a|b\"");
  const std::string text = made.text();
  struct Row {
    std::string_view why;
    std::size_t source;
    std::string_view identity;
    bool differs;
  };
  const Row rows[] = {
      {"the same", 0, "size=1 mtime=2.3 inode=4", false},
      {"larger", 0, "size=9 mtime=2.3 inode=4", true},
      {"not to be told", 0, "", false},
      {"had nothing, has something", 1, "size=1 mtime=2.3 inode=4", true},
      {"had nothing, has nothing", 1, "", false},
      {"the same, with the sign that is between sources", 2, "length=5 etag=\"a|b\"", false},
      {"another tag", 2, "length=5 etag=\"c\"", true},
      {"a source that was not there", 3, "size=1", false},
  };
  for (const Row& r : rows) EXPECT_EQ(Fingerprint::differs(text, r.source, r.identity), r.differs) << r.why;
  EXPECT_EQ(Fingerprint(3).text(), "") << "nothing known";
  Fingerprint long_one(100);
  for (std::size_t i = 0; i < 100; ++i) long_one.set(i, std::string(100, 'x'));
  EXPECT_LE(long_one.text().size(), store::kMaxIdentity);
}

TEST(Verdicts, EachSourceIsHeard) {
  Verdicts verdicts(2);
  verdicts.refused(0, "a: id is 1, expected 2", "size=1");
  verdicts.unavailable("b: no answer");
  const store::Negative negative = verdicts.negative(store::Miss{}, {});
  const auto* unavailable = std::get_if<store::Unavailable>(&negative);
  ASSERT_TRUE(unavailable);
  EXPECT_EQ(unavailable->why, "b: no answer; a: id is 1, expected 2");
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
