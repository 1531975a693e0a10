#include "fetch/gcs_endpoint.hpp"

#include <gmock/gmock.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "fetch/secrets.hpp"
#include "net/run_task.hpp"
#include "testing/server/fake_upstream.hpp"

namespace symcached::fetch {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using TimePoint = std::chrono::system_clock::time_point;

struct RsaKey {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  ~RsaKey() { EVP_PKEY_free(key); }
  std::string pem() const {
    BIO* const bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<std::size_t>(size));
    BIO_free(bio);
    return text;
  }
  bool verifies(std::string_view text, Bytes signature) const {
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key);
    const int good =
        EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                         reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    return good == 1;
  }
};

std::string plain_of(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  const auto bytes = base64_decode(text);
  return bytes ? std::string(as_text(*bytes)) : "no base64";
}

std::string authorization(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers)
    if (name == "Authorization") return value;
  return {};
}

TEST(GcsClaim, IsSignedAndSaysWhoAsksForWhat) {
  const RsaKey key;
  const auto now = std::chrono::sys_seconds(1'700'000'000s);
  const auto claim = token_claim("me@project.iam", key.pem(), "https://t/token", now);
  ASSERT_TRUE(claim) << claim.error();
  const std::size_t first = claim->find('.'), last = claim->rfind('.');
  EXPECT_EQ(plain_of(claim->substr(0, first)), "{\"alg\":\"RS256\",\"typ\":\"JWT\"}");
  EXPECT_EQ(plain_of(claim->substr(first + 1, last - first - 1)),
            "{\"iss\":\"me@project.iam\",\"scope\":\"https://www.googleapis.com/auth/devstorage.read_only\","
            "\"aud\":\"https://t/token\",\"iat\":1700000000,\"exp\":1700003600}");
  EXPECT_TRUE(key.verifies(claim->substr(0, last), as_bytes(plain_of(claim->substr(last + 1)))));
}

class Gcs : public ::testing::Test {
 protected:
  std::expected<HttpRequest, std::string> ask(GcsEndpoint& endpoint) {
    return run_task(endpoint.request(Endpoint::Method::get, "a b/k"));
  }
  HttpClient client_{Limits(), "Test/1"};
  TimePoint now_{std::chrono::seconds(1'700'000'000)};
  const std::function<TimePoint()> clock_ = [this] { return now_; };
};

TEST_F(Gcs, PublicBucketsAndGivenTokens) {
  GcsEndpoint open({.bucket = "b", .prefix = "p"}, client_, clock_);
  const auto request = ask(open);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->url, "https://storage.googleapis.com/b/p/a%20b/k");
  EXPECT_EQ(open.shown(), "https://storage.googleapis.com/b/p");
  EXPECT_TRUE(request->headers.empty());
  EXPECT_EQ(open.credentials(), 0u);
  GcsEndpoint given({.bucket = "b", .bearer_token = "tok"}, client_, clock_);
  EXPECT_EQ(authorization(*ask(given)), "Bearer tok");
  EXPECT_NE(given.credentials(), 0u);
}

TEST_F(Gcs, ExchangesItsClaimForATokenAndRenewsIt) {
  const RsaKey key;
  FakeUpstream upstream;
  upstream.put("/token", {200, {}, "{\"access_token\":\"first\",\"expires_in\":3600,\"token_type\":\"Bearer\"}"});
  sources::GcsPlace place{.bucket = "b", .client_email = "me", .private_key = key.pem()};
  place.token_uri = upstream.url() + "/token";
  GcsEndpoint endpoint(place, client_, clock_);
  EXPECT_EQ(authorization(*ask(endpoint)), "Bearer first");
  EXPECT_THAT(upstream.body(),
              HasSubstr("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=ey"));
  now_ += 54min;
  EXPECT_EQ(authorization(*ask(endpoint)), "Bearer first");
  EXPECT_EQ(upstream.asked().size(), 1u);
  upstream.put("/token", {200, {}, "{\"access_token\":\"second\",\"expires_in\":3600}"});
  now_ += 2min;
  EXPECT_EQ(authorization(*ask(endpoint)), "Bearer second");
}

TEST_F(Gcs, SaysWhyThereIsNoToken) {
  const RsaKey key;
  FakeUpstream upstream;
  upstream.put("/empty", {200, {}, "{}"});
  struct Row {
    std::string key, uri, want;
  };
  const Row rows[] = {
      {"secret", "/token", "not an RSA key"},
      {key.pem(), "/token", "HTTP status 404"},
      {key.pem(), "/empty", "the answer has none"},
  };
  for (const Row& r : rows) {
    sources::GcsPlace place{.bucket = "b", .client_email = "me", .private_key = r.key};
    place.token_uri = upstream.url() + r.uri;
    GcsEndpoint endpoint(place, client_, clock_);
    const auto request = ask(endpoint);
    ASSERT_FALSE(request) << r.want;
    EXPECT_THAT(request.error(), HasSubstr(r.want));
    EXPECT_THAT(request.error(), Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace symcached::fetch
