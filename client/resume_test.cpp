#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "testing/server/client_fixture.hpp"

/// The one that is killed is a fork of this process, and starts threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace symcached::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KilledClientTest : public SymcacheClientTest {
 protected:
  /// A process that ends without a word once so many bytes of the symcache are there.
  void fetch_and_die(const std::string& url, std::uint64_t at) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ClientOptions options{.directory = folder_.path(), .user_agent = "Test/1"};
      options.places.push_back({ServerPlace{{.url = url}, {3, 1, 0}}});
      const auto killed = SymcacheClient::open(std::move(options));
      const Watch die{.receiving = [at](std::uint64_t bytes, std::uint64_t) {
        if (bytes >= at) ::_exit(0);
      }};
      run_task((*killed)->fetch(kApp, die));
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  fs::path part(std::string_view extension) const {
    for (const auto& entry : fs::directory_iterator(folder_.path() / ".symcached/parts"))
      if (entry.path().extension() == extension) return entry.path();
    return {};
  }
};

TEST_F(KilledClientTest, TheNextRunAsksForTheRest) {
  const std::string file = sample(30'000), other = sample(31'000);
  struct Row {
    std::string_view why;
    Fault first, next;
    std::function<void(const fs::path& part, const fs::path& state)> meanwhile;
    std::string range;  ///< "-": all of it is asked for
  };
  const auto nothing = [](const fs::path&, const fs::path&) {};
  const auto cut_to = [](std::uintmax_t size) {
    return [=](const fs::path& p, const fs::path&) { fs::resize_file(p, size); };
  };
  const auto aged = [](std::chrono::hours age) {
    return [=](const fs::path& p, const fs::path&) { fs::last_write_time(p, fs::file_time_type::clock::now() - age); };
  };
  const auto edited = [](std::string from, std::string to) {
    return [=](const fs::path&, const fs::path& state) {
      std::string text = content_of(state);
      const std::size_t at = text.find(from);
      ASSERT_NE(at, text.npos) << text;
      std::ofstream(state, std::ios::binary) << text.replace(at, from.size(), to);
    };
  };
  const Row rows[] = {
      {"the same file", {.silent_at = 10'000}, {}, nothing, "bytes=10000-"},
      {"all came but was not kept", {.silent_at = 30'000}, {}, nothing, "bytes=29999-"},
      {"another file", {.silent_at = 10'000}, {.etag = "\"two\"", .content = other}, nothing, "bytes=10000-"},
      {"which says so late",
       {.silent_at = 10'000},
       {.status = 206, .headers = {"Content-Range: bytes 10000-30999/31000"}, .content = other.substr(10'000)},
       nothing,
       "bytes=10000-"},
      {"no ranges", {.silent_at = 10'000}, {.ignore_range = true}, nothing, "bytes=10000-"},
      {"another part than asked for", {.silent_at = 10'000}, {.range_moved_by = 5}, nothing, "bytes=10000-"},
      {"a part that is cut again", {.silent_at = 10'000}, {.close_at = 5'000}, nothing, "bytes=10000-"},
      {"a weak tag", {.silent_at = 10'000, .etag = "W/\"one\""}, {}, nothing, "-"},
      {"no more than its last byte", {.silent_at = 10'000, .length = 1}, {}, nothing, "-"},
      {"a part of yesterday", {.silent_at = 10'000}, {}, aged(std::chrono::hours(25)), "-"},
      {"of some hours ago", {.silent_at = 10'000}, {}, aged(std::chrono::hours(23)), "bytes=10000-"},
      {"more than was announced", {.silent_at = 10'000}, {}, cut_to(30'001), "-"},
      {"an empty part", {.silent_at = 10'000}, {}, cut_to(0), "-"},
      {"a machine that was started again", {.silent_at = 10'000}, {}, edited("-", "+"), "-"},
      {"a state that is not ours", {.silent_at = 10'000}, {}, edited("symcached part 1", "symcached part 9"), "-"},
  };
  for (const Row& r : rows) {
    FaultyUpstream upstream(file, {r.first, r.next}, {kTheirs});
    const bool is_known = r.first.length != 1;
    fetch_and_die(upstream.url(), is_known ? *r.first.silent_at : 1);
    EXPECT_THAT(files_in(folder_.path()), IsEmpty()) << r.why;
    r.meanwhile(part(".pending"), part(".state"));
    const Outcome outcome = fetch(upstream.url());
    ASSERT_EQ(told(outcome), "kept 3.1.0") << r.why;
    const bool is_other = r.next.etag.has_value();
    EXPECT_TRUE(content_of(std::get<Kept>(outcome).path) == (is_other ? other : file)) << r.why;
    EXPECT_EQ(upstream.values("Range").at(1), r.range) << r.why;
    EXPECT_EQ(upstream.values("If-Range").at(1), r.range == "-" ? "-" : "\"one\"") << r.why;
    EXPECT_EQ(all_files_in(folder_.path()).size(), 1u) << r.why << ": no part is left";
    fs::remove_all(folder_.path() / "app.pdb");
  }
}

TEST_F(KilledClientTest, WhatNobodyGoesOnWithIsRemoved) {
  FaultyUpstream upstream(sample(30'000), {{.silent_at = 10'000}, {.status = 404}}, {kTheirs});
  fetch_and_die(upstream.url(), 10'000);
  EXPECT_THAT(all_files_in(folder_.path()), ElementsAre(HasSubstr(".pending"), HasSubstr(".state")));
  EXPECT_EQ(told(fetch(upstream.url())), "not there");
  EXPECT_THAT(all_files_in(folder_.path()), IsEmpty()) << "gone for good";

  FaultyUpstream next(sample(30'000), {{.silent_at = 10'000}}, {kTheirs});
  fetch_and_die(next.url(), 10'000);
  client({});
  EXPECT_EQ(all_files_in(folder_.path()).size(), 2u) << "somebody may";
  for (const std::string_view extension : {".pending", ".state"})
    fs::last_write_time(part(extension), fs::file_time_type::clock::now() - 25h);
  client({});
  EXPECT_THAT(all_files_in(folder_.path()), IsEmpty()) << "too old";
}

/// One has the part, the other one a file of its own.
TEST_F(KilledClientTest, TwoGoOnWithoutHarm) {
  const std::string file = sample(3'000'000);
  FaultyUpstream upstream(file, {{.silent_at = 10'000}}, {kTheirs});
  fetch_and_die(upstream.url(), 10'000);
  const auto one = client({upstream.url()}), two = client({upstream.url()});
  Outcome first, second;
  std::thread other([&] { second = run_task(two->fetch(kApp)); });
  first = run_task(one->fetch(kApp));
  other.join();
  for (const Outcome& outcome : {first, second}) EXPECT_TRUE(content_of(std::get<Kept>(outcome).path) == file);
  EXPECT_EQ(all_files_in(folder_.path()).size(), 1u);
}

TEST_F(KilledClientTest, APartThatIsInUseIsNotTouched) {
  const std::string file = sample(30'000);
  FaultyUpstream upstream(file, {{.silent_at = 10'000}}, {kTheirs});
  fetch_and_die(upstream.url(), 10'000);
  const Descriptor held(::open(part(".pending").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  EXPECT_EQ(told(fetch(upstream.url())), "kept 3.1.0");
  EXPECT_THAT(upstream.values("Range"), ElementsAre("-", "-"));
  EXPECT_EQ(content_of(part(".pending")), file.substr(0, 10'000));
}

}  // namespace
}  // namespace symcached::client
