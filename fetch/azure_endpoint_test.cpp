#include "fetch/azure_endpoint.hpp"

#include <gmock/gmock.h>

#include "net/run_task.hpp"

namespace symcached::fetch {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

/// Of the storage emulator, published by Microsoft.
constexpr const char* kKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const auto kNow = std::chrono::sys_days(2015y / 6 / 26) + 23h + 39min + 12s;

HttpRequest ask(const sources::AzurePlace& place, std::string path, http::Headers more = {}) {
  AzureEndpoint endpoint(place, [] { return kNow; });
  auto request = run_task(endpoint.request(Endpoint::Method::get, std::move(path)));
  EXPECT_TRUE(request) << request.error();
  if (!request) return {};
  request->headers.insert(request->headers.end(), more.begin(), more.end());
  if (request->sign) request->sign(*request);
  return *request;
}

std::string header_of(const HttpRequest& request, std::string_view name) {
  for (const auto& [n, value] : request.headers)
    if (http::same_name(n, name)) return value;
  return {};
}

/// The example of "Authorize with Shared Key", with its version.
TEST(Azure, SignsWhatTheSpecificationSays) {
  const http::Headers headers = {{"x-ms-version", "2015-02-21"}, {"x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"}};
  EXPECT_EQ(azure_string_to_sign("myaccount", "GET",
                                 "https://myaccount.blob.core.windows.net/mycontainer?restype=container&comp=metadata"
                                 "&timeout=20",
                                 headers),
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
            "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
}

/// The signature was computed with Python's hmac over the text that the specification demands.
TEST(Azure, ARangeIsSignedToo) {
  const sources::AzurePlace place{.account = "devstoreaccount1",
                                  .container = "symbols",
                                  .shared_key = kKey,
                                  .endpoint = "http://127.0.0.1:10000/devstoreaccount1"};
  const HttpRequest request = ask(place, "a b/k", {{"Range", "bytes=5-"}});
  EXPECT_EQ(request.url, "http://127.0.0.1:10000/devstoreaccount1/symbols/a%20b/k");
  EXPECT_EQ(header_of(request, "x-ms-date"), "Fri, 26 Jun 2015 23:39:12 GMT");
  EXPECT_EQ(header_of(request, "Authorization"),
            "SharedKey devstoreaccount1:8/81Qn6E1cDpmbGNvn6sOZyZQDx1/R0Ms/AFT1EHg4U=");
}

TEST(Azure, SasAndAnonymous) {
  sources::AzurePlace place{.account = "acc", .container = "c", .prefix = "p"};
  const HttpRequest open = ask(place, "k");
  EXPECT_EQ(open.url, "https://acc.blob.core.windows.net/c/p/k");
  EXPECT_EQ(header_of(open, "Authorization"), "");
  EXPECT_EQ(AzureEndpoint(place).credentials(), 0u);
  place.sas = "?sv=2021&sig=secret%3D";
  EXPECT_EQ(ask(place, "k").url, "https://acc.blob.core.windows.net/c/p/k?sv=2021&sig=secret%3D");
  const AzureEndpoint endpoint(place);
  EXPECT_THAT(endpoint.shown(), Not(HasSubstr("secret")));
  EXPECT_NE(endpoint.credentials(), 0u);
}

TEST(Azure, AKeyThatIsNone) {
  AzureEndpoint endpoint({.account = "a", .container = "c", .shared_key = "secret!"});
  const auto request = run_task(endpoint.request(Endpoint::Method::get, "k"));
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error(), "the shared key is not base64");
}

}  // namespace
}  // namespace symcached::fetch
