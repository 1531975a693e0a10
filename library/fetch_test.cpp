#include <gmock/gmock.h>
#include <symcached/symcached.h>

#include <filesystem>
#include <string>

#include "testing/server/fake_upstream.hpp"
#include "testing/temp_folder.hpp"

namespace symcached {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGuid = "3249D99D-0C40-4931-8610-F4E4FB0B6936";
constexpr std::string_view kRequest = "/team/v3.1.0/app.pdb/3249D99D0C4049318610F4E4FB0B6936/26";

struct Fetched {
  int status = 0;
  std::string path, error;
};

class LibraryFetch : public ::testing::Test {
 protected:
  Fetched fetch(const std::string& url, const char* guid = kGuid, std::size_t path_size = 4096,
                const symcached_fetch_options* options = nullptr) {
    std::string path(path_size, '\0'), error(512, '\0');
    const int status = symcached_fetch(url.c_str(), "app.pdb", guid, 26, folder_.path().c_str(), options, path.data(),
                                       path.size(), error.data(), error.size());
    return {status, path.c_str(), error.c_str()};
  }

  TempFolder folder_;
  FakeUpstream upstream_;
};

TEST_F(LibraryFetch, SaysWhereTheSymcacheIs) {
  upstream_.put(std::string(kRequest), {200, {{"Content-Type", "application/vnd.ms-symcache"}}, "the symcache"});
  const Fetched too_long = fetch(upstream_.url() + "/team", kGuid, 8);
  EXPECT_EQ(too_long.status, SYMCACHED_FETCH_FAILED);
  EXPECT_THAT(too_long.error, HasSubstr("longer than the buffer"));
  const Fetched got = fetch(upstream_.url() + "/team");
  EXPECT_EQ(got.status, SYMCACHED_FETCHED) << got.error;
  EXPECT_EQ(std::filesystem::path(got.path).filename(), "app.pdb-v3.1.0.symcache");
  EXPECT_EQ(upstream_.asked().size(), 1u);
}

TEST_F(LibraryFetch, SaysWhyThereIsNone) {
  struct Row {
    std::string_view why;
    http::Response answer;
    int status;
    std::string_view error;
  };
  const Row rows[] = {
      {"404", http::text(404, "no"), SYMCACHED_NOT_THERE, "does not have this symcache"},
      {"being made", http::text(404, "no", {{"Retry-After", "30"}}), SYMCACHED_NOT_YET, "still making it"},
      {"a login page", {200, {{"Content-Type", "text/html"}}, "<html>"}, SYMCACHED_FETCH_FAILED, "a login page"},
  };
  symcached_fetch_options options{.struct_size = sizeof options};
  options.timeout_ms = 20'000;
  for (const Row& r : rows) {
    upstream_.put(std::string(kRequest), r.answer);
    const Fetched got = fetch(upstream_.url() + "/team", kGuid, 4096, &options);
    EXPECT_EQ(got.status, r.status) << r.why;
    EXPECT_EQ(got.path, "") << r.why;
    EXPECT_THAT(got.error, HasSubstr(r.error)) << r.why;
  }
}

TEST_F(LibraryFetch, ChecksWhatItIsGiven) {
  symcached_fetch_options wrong_version{.struct_size = sizeof wrong_version}, two_secrets = wrong_version;
  wrong_version.version = "3";
  two_secrets.user = "me";
  two_secrets.bearer_token = "secret";
  const Fetched rows[] = {fetch("ftp://host"), fetch("nothing"), fetch(upstream_.url(), "3249"),
                          fetch(upstream_.url(), kGuid, 4096, &wrong_version),
                          fetch(upstream_.url(), kGuid, 4096, &two_secrets)};
  for (const Fetched& got : rows) {
    EXPECT_EQ(got.status, SYMCACHED_FETCH_FAILED);
    EXPECT_NE(got.error, "");
    EXPECT_EQ(got.error.find("secret"), std::string::npos) << got.error;
  }
  EXPECT_TRUE(upstream_.asked().empty());
}

}  // namespace
}  // namespace symcached
