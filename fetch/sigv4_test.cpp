#include "fetch/sigv4.hpp"

#include <gtest/gtest.h>

#include "fetch/secrets.hpp"

namespace symcached::fetch {
namespace {

using std::chrono::sys_days;
using namespace std::chrono_literals;

std::string signature_of(const std::string& authorization) {
  return authorization.substr(authorization.find("Signature=") + 10);
}

/// The vectors of AWS's signature version 4 test suite.
TEST(SigV4, GivesThePublishedSignatures) {
  const AwsKeys keys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
  const auto now = sys_days(2015y / 8 / 30) + 12h + 36min;
  struct Row {
    std::string_view why;
    std::string method, path, query;
    http::Headers more;
    std::string_view want;
  };
  const Row rows[] = {
      {"get-vanilla", "GET", "/", "", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"post-vanilla", "POST", "/", "", {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"get-vanilla-empty-query-key",
       "GET",
       "/",
       "Param1=value1",
       {},
       "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
      {"get-vanilla-query-order-key-case",
       "GET",
       "/",
       "Param2=value2&Param1=value1",
       {},
       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"get-utf8", "GET", "/%E1%88%B4", "", {}, "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
      {"get-header-value-trim",
       "GET",
       "/",
       "",
       {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}},
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"get-header-key-duplicate",
       "GET",
       "/",
       "",
       {{"My-Header1", "value2"}, {"My-Header1", "value2"}, {"My-Header1", "value1"}},
       "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
  };
  for (const Row& r : rows) {
    ToSign request{r.method, r.path, r.query, {{"Host", "example.amazonaws.com"}}, kEmptyPayload};
    request.headers.emplace_back("X-Amz-Date", amz_date(now));
    request.headers.insert(request.headers.end(), r.more.begin(), r.more.end());
    EXPECT_EQ(signature_of(sign_v4(keys, "us-east-1", "service", request, now)), r.want) << r.why;
  }
}

/// From "Authenticating Requests: Using the Authorization Header" of the S3 API reference.
TEST(SigV4, GivesTheSignaturesOfS3sExamples) {
  const AwsKeys keys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
  const auto now = sys_days(2013y / 5 / 24) + 0s;
  struct Row {
    std::string_view why;
    std::string path, query;
    http::Headers more;
    std::string_view want;
  };
  const Row rows[] = {
      {"GET object",
       "/test.txt",
       "",
       {{"Range", "bytes=0-9"}},
       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
      {"GET bucket lifecycle",
       "/",
       "lifecycle",
       {},
       "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
      {"list objects",
       "/",
       "max-keys=2&prefix=J",
       {},
       "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
  };
  for (const Row& r : rows) {
    ToSign request{"GET", r.path, r.query, {{"Host", "examplebucket.s3.amazonaws.com"}}, kEmptyPayload};
    request.headers.emplace_back("x-amz-content-sha256", kEmptyPayload);
    request.headers.emplace_back("x-amz-date", amz_date(now));
    request.headers.insert(request.headers.end(), r.more.begin(), r.more.end());
    EXPECT_EQ(signature_of(sign_v4(keys, "us-east-1", "s3", request, now)), r.want) << r.why;
  }
}

/// The example of "Authenticating requests: using query parameters".
TEST(SigV4, GivesTheUrlOfS3sExample) {
  const AwsKeys keys{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
  const ToSign request{"GET", "/test.txt", "", {{"host", "examplebucket.s3.amazonaws.com"}}, ""};
  EXPECT_EQ(presign_v4(keys, "us-east-1", "s3", request, 86400s, sys_days(2013y / 5 / 24)),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F"
            "aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(Secrets, Base64BothWays) {
  struct Row {
    std::string_view plain, packed;
  };
  for (const Row& r : {Row{"", ""}, Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"}, Row{"foob", "Zm9vYg=="}}) {
    EXPECT_EQ(base64(as_bytes(r.plain)), r.packed);
    const auto plain = base64_decode(r.packed);
    ASSERT_TRUE(plain);
    EXPECT_EQ(as_text(*plain), r.plain);
  }
  EXPECT_FALSE(base64_decode("Zg="));
  EXPECT_FALSE(base64_decode("####"));
}

TEST(Secrets, AFingerprintTellsSecretsApart) {
  EXPECT_EQ(fingerprint({"a", "b"}), fingerprint({"a", "b"}));
  EXPECT_NE(fingerprint({"a", "b"}), fingerprint({"ab"}));
  EXPECT_NE(fingerprint({"a", "b"}), fingerprint({"b", "a"}));
  EXPECT_NE(fingerprint({}), 0u);
}

TEST(Secrets, SaysWhatIsWrongWithAKeyWithoutShowingIt) {
  const auto signature = sign_rs256("-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n", "text");
  ASSERT_FALSE(signature);
  EXPECT_EQ(signature.error().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace symcached::fetch
