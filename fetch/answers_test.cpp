#include "fetch/answers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace symcached::fetch {
namespace {

std::string error(std::string_view code) {
  return "<?xml version=\"1.0\"?><Error><Code>" + std::string(code) + "</Code><Message>m</Message></Error>";
}

TEST(Answers, MeanWhatTheirCodesSay) {
  struct Row {
    std::string_view why;
    unsigned status;
    std::string body, code;
    Meaning want;
  };
  const Row rows[] = {
      {"a file", 200, "", "", Meaning::there},
      {"a part, whatever is in it", 206, error("NoSuchKey"), "", Meaning::there},
      {"no body, as for HEAD", 404, "", "", Meaning::not_there},
      {"gone", 410, "", "", Meaning::not_there},
      {"S3, may list", 404, error("NoSuchKey"), "", Meaning::not_there},
      {"S3, may not list", 403, error("AccessDenied"), "", Meaning::forbidden},
      {"wrong secret", 403, error("SignatureDoesNotMatch"), "", Meaning::forbidden},
      {"a bucket that is not there hides nothing", 404, error("NoSuchBucket"), "", Meaning::forbidden},
      {"another region", 400, error("AuthorizationHeaderMalformed"), "", Meaning::forbidden},
      {"old token", 400, error("ExpiredToken"), "", Meaning::transient},
      {"clock is wrong", 403, error("RequestTimeTooSkewed"), "", Meaning::transient},
      {"slow down", 503, error("SlowDown"), "", Meaning::transient},
      {"Azure's header counts", 409, "", "PublicAccessNotPermitted", Meaning::forbidden},
      {"Azure, no file", 404, error("ServerBusy"), "BlobNotFound", Meaning::not_there},
      {"Azure, no container", 404, "", "ContainerNotFound", Meaning::forbidden},
      {"unknown code", 404, error("Whatever"), "", Meaning::not_there},
      {"a page", 500, "<html>", "", Meaning::transient},
      {"too many", 429, "", "", Meaning::transient},
      {"no answer", 0, "", "", Meaning::transient},
      {"broken off", 403, "<Error><Code>NoSuchKey", "", Meaning::forbidden},
      {"code too long", 404, error(std::string(100, 'x')), "", Meaning::not_there},
  };
  for (const Row& r : rows) EXPECT_EQ(meaning_of(r.status, r.body, r.code), r.want) << r.why;
}

TEST(Answers, LooksAtTheStartOfABodyAlone) {
  EXPECT_EQ(error_code_in(error("NoSuchKey")), "NoSuchKey");
  EXPECT_EQ(error_code_in(std::string(kErrorBody, ' ') + error("NoSuchKey")), "");
}

}  // namespace
}  // namespace symcached::fetch
