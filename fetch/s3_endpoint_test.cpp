#include "fetch/s3_endpoint.hpp"

#include <gmock/gmock.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "net/run_task.hpp"
#include "testing/server/fake_upstream.hpp"

namespace symcached::fetch {
namespace {

using namespace std::chrono_literals;
using sources::S3Place;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using TimePoint = std::chrono::system_clock::time_point;

constexpr const char* kAccess = "AKIAIOSFODNN7EXAMPLE";
constexpr const char* kSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const TimePoint kNow = std::chrono::sys_days(std::chrono::year(2013) / 5 / 24);

S3Place place(S3Place::Credentials credentials = S3Place::Credentials::fixed) {
  S3Place place{.bucket = "examplebucket"};
  place.credentials = credentials;
  return place;
}

std::string header_of(const HttpRequest& request, std::string_view name) {
  for (const auto& [n, value] : request.headers)
    if (http::same_name(n, name)) return value;
  return {};
}

class S3 : public ::testing::Test {
 protected:
  HttpRequest ask(Endpoint& endpoint, std::string path, Endpoint::Method method = Endpoint::Method::get) {
    auto request = run_task(endpoint.request(method, std::move(path)));
    EXPECT_TRUE(request) << request.error();
    return request ? *request : HttpRequest();
  }
  HttpClient client_{Limits(), "Test/1"};
  TimePoint now_ = kNow;
  const std::function<TimePoint()> clock_ = [this] { return now_; };
};

TEST_F(S3, KnowsWhereAKeyIs) {
  struct Row {
    std::string_view why;
    std::string bucket, prefix, region, endpoint;
    bool path_style;
    std::string path, want;
  };
  const Row rows[] = {
      {"host style", "b", "", "us-east-1", "", false, "a/k", "https://b.s3.us-east-1.amazonaws.com/a/k"},
      {"path style", "b", "", "eu-west-1", "", true, "a/k", "https://s3.eu-west-1.amazonaws.com/b/a/k"},
      {"a dot in the bucket", "b.c", "", "eu-west-1", "", false, "k", "https://s3.eu-west-1.amazonaws.com/b.c/k"},
      {"China", "b", "", "cn-north-1", "", false, "k", "https://b.s3.cn-north-1.amazonaws.com.cn/k"},
      {"prefix", "b", "/sym/bols/", "r", "http://Minio:9000/", true, "k", "http://minio:9000/b/sym/bols/k"},
      {"odd key", "b", "", "r", "http://h", true, "a b+c/\xE1\x88\xB4&?#%~",
       "http://h/b/a%20b%2Bc/%E1%88%B4%26%3F%23%25~"},
      {"the root", "b", "p", "r", "http://h", true, "", "http://h/b/p"},
  };
  for (const Row& r : rows) {
    S3Place at{.bucket = r.bucket, .prefix = r.prefix, .region = r.region, .endpoint = r.endpoint};
    at.path_style = r.path_style;
    S3Endpoint endpoint(at, client_, {}, clock_);
    const HttpRequest request = ask(endpoint, r.path);
    EXPECT_EQ(request.url, r.want) << r.why;
    EXPECT_TRUE(request.headers.empty()) << r.why << ": without keys nothing is signed";
    EXPECT_EQ(endpoint.credentials(), 0u);
  }
}

TEST_F(S3, DotsAreNoKey) {
  S3Endpoint endpoint(place(), client_, {}, clock_);
  for (const char* path : {"..", "a/../b", "./a", "a/.."})
    EXPECT_FALSE(run_task(endpoint.request(Endpoint::Method::get, path))) << path;
}

TEST_F(S3, SignsWithFixedKeys) {
  S3Place at = place();
  at.access_key = kAccess;
  at.secret_key = kSecret;
  S3Endpoint endpoint(at, client_, {}, clock_);
  const HttpRequest get = ask(endpoint, "test.txt");
  EXPECT_EQ(header_of(get, "x-amz-date"), "20130524T000000Z");
  EXPECT_EQ(header_of(get, "x-amz-content-sha256"), kEmptyPayload);
  EXPECT_THAT(header_of(get, "Authorization"),
              HasSubstr("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                        "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature="));
  const HttpRequest head = ask(endpoint, "test.txt", Endpoint::Method::head);
  EXPECT_TRUE(head.head_only);
  EXPECT_NE(header_of(head, "Authorization"), header_of(get, "Authorization"));
  EXPECT_THAT(endpoint.shown(), Not(HasSubstr(kAccess)));

  at.session_token = "token";
  S3Endpoint other(at, client_, {}, clock_);
  EXPECT_EQ(header_of(ask(other, "k"), "x-amz-security-token"), "token");
  EXPECT_NE(other.credentials(), endpoint.credentials());
}

http::Response keys(std::string_view access, std::string_view expires) {
  return {200,
          {},
          "{\"AccessKeyId\":\"" + std::string(access) +
              "\",\"SecretAccessKey\":\"s\",\"Token\":\"t\","
              "\"Expiration\":\"" +
              std::string(expires) + "\"}"};
}

TEST_F(S3, GivesUrlsToOthers) {
  S3Place fixed = place();
  fixed.access_key = kAccess, fixed.secret_key = kSecret;
  S3Endpoint endpoint(fixed, client_, {}, clock_);
  const auto url = run_task(endpoint.presigned("a b.pdb/x", "application/x; version=1", 60s));
  ASSERT_TRUE(url) << url.error();
  EXPECT_THAT(*url, ::testing::StartsWith("https://examplebucket.s3.us-east-1.amazonaws.com/a%20b.pdb/x?"
                                          "response-content-type=application%2Fx%3B%20version%3D1&X-Amz-Algorithm="));
  EXPECT_THAT(*url, ::testing::MatchesRegex(".*&X-Amz-Expires=60&.*&X-Amz-Signature=[0-9a-f]{64}"));
  S3Endpoint open(place(), client_, {}, clock_);
  EXPECT_EQ(run_task(open.presigned("k", "t", 60s)).value_or(""), "https://examplebucket.s3.us-east-1.amazonaws.com/k");
}

TEST_F(S3, AsksAContainerForKeysAndAgainBeforeTheyExpire) {
  FakeUpstream metadata;
  metadata.put("/keys", keys("FIRST", "2013-05-24T01:00:00Z"));
  metadata.demand("Authorization");
  AwsMetadata where{.container_url = metadata.url() + "/keys", .container_token = "Bearer x"};
  S3Endpoint endpoint(place(S3Place::Credentials::container), client_, where, clock_);
  EXPECT_EQ(endpoint.credentials(), 0u);
  EXPECT_THAT(header_of(ask(endpoint, "k"), "Authorization"), HasSubstr("FIRST"));
  const auto first = endpoint.credentials();
  now_ += 54min;
  EXPECT_THAT(header_of(ask(endpoint, "k"), "Authorization"), HasSubstr("FIRST"));
  EXPECT_EQ(metadata.asked().size(), 1u);
  metadata.put("/keys", keys("SECOND", "2013-05-24T02:00:00Z"));
  now_ += 1min;
  EXPECT_THAT(header_of(ask(endpoint, "k"), "Authorization"), HasSubstr("SECOND"));
  EXPECT_NE(endpoint.credentials(), first);
  EXPECT_EQ(metadata.asked().size(), 2u);
}

TEST_F(S3, AsksTheInstanceForARolesKeysOnceForAll) {
  FakeUpstream metadata;
  metadata.put("/latest/api/token", {200, {}, "session"});
  metadata.put("/latest/meta-data/iam/security-credentials/", {200, {}, "my-role\n"});
  metadata.put("/latest/meta-data/iam/security-credentials/my-role", keys("ROLE", "2013-05-24T06:00:00Z"));
  AwsMetadata where{.instance_url = metadata.url()};
  S3Endpoint endpoint(place(S3Place::Credentials::instance), client_, where, clock_);
  boost::asio::io_context context;
  int signed_ones = 0;
  for (int i = 0; i < 10; ++i)
    boost::asio::co_spawn(context, endpoint.request(Endpoint::Method::get, "k"), [&](std::exception_ptr, auto request) {
      signed_ones += request && header_of(*request, "Authorization").find("ROLE") != std::string::npos ? 1 : 0;
    });
  context.run();
  EXPECT_EQ(signed_ones, 10);
  EXPECT_THAT(metadata.asked(), ElementsAre("/latest/api/token", "/latest/meta-data/iam/security-credentials/",
                                            "/latest/meta-data/iam/security-credentials/my-role"));
  EXPECT_EQ(metadata.header("X-aws-ec2-metadata-token"), "session");
}

TEST_F(S3, SaysWhyThereAreNoKeys) {
  FakeUpstream metadata;
  metadata.put("/broken", {200, {}, "{"});
  metadata.put("/lacking", {200, {}, "{\"AccessKeyId\":\"secret\"}"});
  struct Row {
    std::string url, want;
  };
  const Row rows[] = {
      {"", "are not set"},
      {"http://example.com/keys", "neither https nor this machine"},
      {metadata.url() + "/nothing", "HTTP status 404"},
      {metadata.url() + "/broken", "not a JSON object"},
      {metadata.url() + "/lacking", "lacks AccessKeyId"},
  };
  for (const Row& r : rows) {
    S3Endpoint endpoint(place(S3Place::Credentials::container), client_, {.container_url = r.url}, clock_);
    const auto request = run_task(endpoint.request(Endpoint::Method::get, "k"));
    ASSERT_FALSE(request) << r.url;
    EXPECT_THAT(request.error(), HasSubstr(r.want));
    EXPECT_THAT(request.error(), Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace symcached::fetch
