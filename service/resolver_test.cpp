#include "service/resolver.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "testing/server/eventually.hpp"
#include "testing/server/scripted_source.hpp"
#include "testing/server/service_fixture.hpp"

namespace symcached::service {
namespace {

using sources::FileType;
using std::chrono::seconds;

/// Two sources that say what a test tells them to.
class SourcesTest : public ServiceTest {
 protected:
  using Kind = fetch::TransientError::Kind;
  using Says = std::function<fetch::Outcome(const fetch::Wanted&)>;

  void start(RetryPolicy retry = {}, ServiceOptions options = settled()) {
    options.retry = retry;
    options.retry.settling = seconds(0);
    serve(both(), options);
  }
  std::vector<std::unique_ptr<fetch::Source>> both() {
    std::vector<std::unique_ptr<fetch::Source>> sources;
    sources.push_back(std::make_unique<ScriptedSource>("first", first_));
    sources.push_back(std::make_unique<ScriptedSource>("second", second_));
    return sources;
  }
  static Says error(Kind kind, std::optional<seconds> retry_after = {}) {
    return [=](const fetch::Wanted&) { return fetch::TransientError{"no", false, retry_after, kind}; };
  }
  /// Has files of one type alone.
  Says has(std::string_view content, FileType type = FileType::pdb) {
    const auto path = symbols_.path() / std::to_string(++originals_);
    symbols_.write(path.filename().string(), fake_pdb(content));
    return [path, type](const fetch::Wanted& wanted) -> fetch::Outcome {
      if (wanted.file.type != type) return fetch::NotThere{};
      const auto mapped = MappedFile::open(path);
      return fetch::Original{.file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
                             .size = mapped->bytes().size(),
                             .digest = store::sha256(mapped->bytes())};
    };
  }
  /// All times are over at once but those of `state`, which are a day.
  static RetryPolicy only(BackOff RetryPolicy::* state) {
    RetryPolicy policy;
    const BackOff none{seconds(0), seconds(0)}, day{seconds(86400), seconds(86400)};
    policy.absent = policy.malformed = policy.upgrade_again = seconds(0);
    policy.unavailable = policy.timed_out = policy.forbidden = policy.rate_limited = policy.not_whole = none;
    if (state != nullptr) policy.*state = day;
    return policy;
  }
  std::string find_in(std::string scope) {
    CacheQuery query = kQuery;
    query.scope = std::move(scope);
    return find(query);
  }

  const std::string kReadable = "crash.pdb/" + std::string(kGuid) + "1";
  const store::EntryKey kKey{kSymcaches.now, "global", kReadable};
  Script first_, second_;
  int originals_ = 0;
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
    first_.opened = second_.opened = 0;
    first_.open = [&](const fetch::Wanted& wanted) -> fetch::Outcome {
      return wanted.file.type == FileType::pdb ? error(r.kind)(wanted) : fetch::NotThere{};
    };
    start(only(r.its_time));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(find(), "soft no");
    EXPECT_EQ(second_.opened - first_.opened, 2) << static_cast<int>(r.kind) << ": the PDB is asked for once";
  }
}

TEST_F(SourcesTest, AnEarlierAnswerOfAllCountsUntilTheFirstMayBeAskedAgain) {
  first_.open = error(Kind::rate_limited, seconds(60));
  start();
  EXPECT_EQ(find(), "soft no; no") << "of the PDB, and of a Breakpad file in its place";
  const int before = first_.opened + second_.opened;
  find();
  EXPECT_EQ(first_.opened + second_.opened, before);
}

TEST_F(SourcesTest, OtherCredentialsAreTriedAtOnce) {
  first_.open = error(Kind::forbidden);
  first_.credentials = 1;
  start();
  EXPECT_EQ(find(), "soft no; no");
  const int first = first_.opened, second = second_.opened;
  service_->use(both(), {});
  EXPECT_EQ(find(), "soft no; no");
  EXPECT_EQ(first_.opened, first) << "the same credentials";
  first_.credentials = 2;
  first_.open = has("it");
  service_->use(both(), {});
  EXPECT_EQ(find(), "ready cache of it");
  EXPECT_EQ(second_.opened, second) << "it said no an instant ago";
}

TEST_F(SourcesTest, WhatASourceSaidIsNotSaidByAnotherOfTheSameName) {
  first_.id = "with a key";
  second_.id = "without";
  first_.open = error(Kind::forbidden);
  const auto named_alike = [&](std::initializer_list<Script*> scripts) {
    std::vector<std::unique_ptr<fetch::Source>> sources;
    for (Script* const script : scripts) sources.push_back(std::make_unique<ScriptedSource>("same", *script));
    return sources;
  };
  serve(named_alike({&first_}), settled());
  EXPECT_EQ(find(), "soft no; no");
  const int first = first_.opened;
  second_.open = has("it");
  service_->use(named_alike({&first_, &second_}), {});
  EXPECT_EQ(find(), "ready cache of it");
  EXPECT_EQ(first_.opened, first) << "it said no an instant ago";
}

TEST_F(SourcesTest, APlaceIsAskedOnceWhateverFilesItMayHave) {
  first_.place = "5a/b380779000/symbols";
  struct Row {
    std::string_view why;
    Says says;
    std::string_view want;
    int asked;
  };
  const Says nothing = [](const auto&) { return fetch::NotThere{}; };
  const Says other_file = [](const fetch::Wanted& wanted) {
    return fetch::Refused{std::string(sources::name_of(wanted.file.type))};
  };
  const Row rows[] = {
      {"it has nothing", nothing, "absent", 1},
      {"it is not to be seen", error(Kind::forbidden), "soft no; no", 1},
      {"it does not answer", error(Kind::timed_out), "soft no; no", 1},
      {"it has a file, which may be of one type and not of the other", other_file, "refused pdb; breakpad", 2},
  };
  for (const Row& r : rows) {
    first_.open = r.says;
    first_.opened = 0;
    first_.id = std::string(r.why);
    std::vector<std::unique_ptr<fetch::Source>> sources;
    sources.push_back(std::make_unique<ScriptedSource>("server", first_));
    serve(std::move(sources), settled());
    EXPECT_EQ(find_in(std::to_string(&r - rows)), r.want) << r.why;
    EXPECT_EQ(first_.opened, r.asked) << r.why;
  }
}

TEST_F(SourcesTest, AnAbsenceOnDiskIsThatOfTheSourcesThatWereAsked) {
  start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(find(), "absent");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(store_->path_of(kKey)); }));
  const int asked = first_.opened;
  service_.reset();
  store_ = std::move(*store::Store::open(cache_.path(), 2));
  start();
  EXPECT_EQ(find(), "absent");
  EXPECT_EQ(first_.opened, asked) << "on disk";
  second_.open = has("it");
  std::vector<std::unique_ptr<fetch::Source>> other;
  other.push_back(std::make_unique<ScriptedSource>("third", second_));
  service_->use(std::move(other), {});
  EXPECT_EQ(find(), "ready cache of it");
}

TEST_F(SourcesTest, ASecondBestCacheIsServedUntilThereIsABetterOne) {
  first_.open = has("poor", FileType::breakpad);
  start(only(nullptr));
  EXPECT_EQ(find(), "ready cache of poor");
  second_.open = has("rich");
  EXPECT_EQ(find(), "ready cache of poor") << "nobody waits for a better one";
  EXPECT_TRUE(eventually([&] { return find() == "ready cache of rich"; }));
  const int done = conversions_;
  EXPECT_EQ(find(), "ready cache of rich");
  EXPECT_EQ(conversions_, done) << "there is nothing better";
}

TEST_F(SourcesTest, ABetterOneIsLookedForOnceAnHour) {
  first_.open = has("poor", FileType::breakpad);
  RetryPolicy policy = only(nullptr);
  policy.upgrade_again = seconds(3600);
  start(policy);
  EXPECT_EQ(find(), "ready cache of poor");
  ASSERT_TRUE(eventually([&] { return second_.opened == 4; })) << "for two files each: to make it, and to better it";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(find(), "ready cache of poor");
  service_->stop();
  EXPECT_EQ(second_.opened, 4);
}

TEST_F(SourcesTest, AWorseOneNeverTakesThePlaceOfABetterOne) {
  first_.open = has("rich", FileType::breakpad);
  second_.open = has("poor");
  start(only(nullptr));
  EXPECT_EQ(find(), "ready cache of rich") << "the PDB is asked for first, and says less than the other file";
}

TEST_F(SourcesTest, AnOlderVersionIsServedWhileANewOneIsMade) {
  first_.open = has("old");
  start();
  EXPECT_EQ(find(), "ready cache of old");
  first_.open = has("new");
  ServiceOptions options = settled();
  options.versions.symcaches.now.version = kSymcaches.now.version + 3;
  std::promise<void> open;
  gate_ = open.get_future().share();
  start({}, options);
  EXPECT_EQ(find(), "ready cache of old");
  EXPECT_EQ(find(), "ready cache of old");
  open.set_value();
  EXPECT_TRUE(eventually([&] { return find() == "ready cache of new"; }));
  options.versions.symcaches = {{"symcaches", kSymcaches.now.version + 9}, kSymcaches.now.version + 8};
  start({}, options);
  conversions_ = 0;
  EXPECT_EQ(find(), "ready cache of new");
  EXPECT_EQ(conversions_, 1) << "too old to be served";
}

TEST_F(SourcesTest, WhatWaitsToBeMadeAnewOutlivesTheServer) {
  ServiceOptions options = settled();
  options.refresh_list = cache_.path() / "refresh";
  first_.open = has("old");
  start({}, options);
  EXPECT_EQ(find(), "ready cache of old");
  service_.reset();
  store::WorkList(options.refresh_list).add(to_line(kQuery));
  first_.open = has("new");
  options.versions.symcaches.now.version = kSymcaches.now.version + 1;
  serve(both(), options);
  const store::EntryKey key{options.versions.symcaches.now, "global", kReadable};
  EXPECT_TRUE(eventually([&] { return std::holds_alternative<store::Hit>(store_->lookup(key)); }))
      << "nobody has asked for it since";
}

TEST_F(SourcesTest, WhatAPrivateSourceHasIsSeenByTheScopeThatAskedForIt) {
  first_.is_public = false;
  first_.open = has("secret");
  start();
  EXPECT_EQ(find_in("one"), "ready cache of secret");
  EXPECT_EQ(find_in("one"), "ready cache of secret");
  EXPECT_EQ(conversions_, 1);
  first_.open = [](const auto&) { return fetch::NotThere{}; };
  EXPECT_EQ(find_in("two"), "absent");
  EXPECT_EQ(find(), "absent");
}

TEST_F(SourcesTest, TheSameOriginalInTwoScopesIsConvertedOnceAndKeptOnce) {
  first_.is_public = false;
  first_.open = has("same");
  start();
  EXPECT_EQ(find_in("one"), "ready cache of same");
  EXPECT_EQ(find_in("two"), "ready cache of same");
  EXPECT_EQ(conversions_, 1);
  EXPECT_EQ(std::filesystem::hard_link_count(store_->path_of({kSymcaches.now, "two", kReadable})), 2u);
  first_.open = has("other");
  EXPECT_EQ(find_in("three"), "ready cache of other") << "another original under the same name";
  EXPECT_EQ(conversions_, 2);
}

TEST_F(SourcesTest, WhatIsAtHandAloneSaysNothingOfTheFile) {
  CacheQuery query = kQuery;
  query.use = CacheUse::own_sources;
  const auto kept = has("it"), broken = has("broken");
  first_.open = [&](const fetch::Wanted& wanted) { return wanted.at_hand ? fetch::NotThere{} : kept(wanted); };
  start();
  EXPECT_EQ(find(query), "absent");
  EXPECT_EQ(find(), "ready cache of it") << "that it was not at hand is no absence";
  EXPECT_EQ(first_.opened + second_.opened, 3) << "each for the sources, one for lookups";
  EXPECT_EQ(find(query), "absent");
  EXPECT_EQ(first_.opened + second_.opened, 3) << "it is remembered as any other";

  first_.open = [&](const fetch::Wanted& wanted) { return wanted.at_hand ? broken(wanted) : kept(wanted); };
  start(only(nullptr));
  query.scope = "two";
  const int identified = first_.identified;
  EXPECT_EQ(find(query), "refused : pdb.stream: broken");
  EXPECT_EQ(first_.forgotten, 0) << "lookups may make more of it";
  store_->remove(kKey);
  EXPECT_EQ(find(), "ready cache of it");
  EXPECT_EQ(first_.identified, identified);
}

TEST_F(SourcesTest, SourcesOfWhatIsAtHandAreFound) {
  CacheQuery query = kQuery;
  query.use = CacheUse::own_sources;
  first_.open = has("it");
  start();
  EXPECT_EQ(find(query), "ready cache of it");
  EXPECT_EQ(find(query), "ready cache of it");
  EXPECT_EQ(first_.opened, 1);
}

TEST_F(SourcesTest, WhatAPublicSourceHasIsSeenByAll) {
  first_.open = has("public");
  start();
  EXPECT_EQ(find_in("one"), "ready cache of public");
  EXPECT_EQ(find_in("two"), "ready cache of public");
  EXPECT_EQ(find(), "ready cache of public");
  EXPECT_EQ(first_.opened, 1);
}

TEST_F(SourcesTest, TwoServersOnOneDirectoryMakeItOnce) {
  first_.open = has("it");
  std::promise<void> open;
  gate_ = open.get_future().share();
  start();
  auto other_store = std::move(*store::Store::open(cache_.path(), 2));
  CacheService other(
      *other_store, both(), [this](worker::Job job, worker::Sink sink) { return run(std::move(job), std::move(sink)); },
      [](Severity, const std::string&) {}, settled());
  EXPECT_EQ(find(kQuery, milliseconds(0)), "pending");
  ASSERT_TRUE(eventually([&] { return conversions_ == 1; }));
  EXPECT_EQ(describe(run_task(other.find(kQuery, milliseconds(200)))), "pending");
  EXPECT_EQ(conversions_, 1) << "the other server works on it";
  open.set_value();
  EXPECT_EQ(describe(run_task(other.find(kQuery, kLong))), "ready cache of it");
  EXPECT_EQ(conversions_, 1);
  other.stop();
}

}  // namespace
}  // namespace symcached::service
