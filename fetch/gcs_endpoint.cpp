#include "fetch/gcs_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "fetch/bucket_path.hpp"
#include "fetch/secrets.hpp"
#include "fetch/small_answer.hpp"

namespace symcached::fetch {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kRenewBefore{300};

std::uint64_t fingerprint_of(const sources::GcsPlace& place) {
  if (place.bearer_token.empty() && place.private_key.empty()) return 0;
  return fingerprint({place.bearer_token, place.client_email, place.private_key});
}

/// A PEM file in an environment variable often has its line ends written out.
std::string with_line_ends(std::string key) {
  for (std::size_t at = 0; (at = key.find("\\n", at)) != std::string::npos;) key.replace(at, 2, "\n");
  return key;
}

std::expected<Renewed<std::string>::Fresh, std::string> parse_token(const std::string& text,
                                                                    std::chrono::system_clock::time_point now) {
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  const json::object* object = error ? nullptr : parsed.if_object();
  const json::value* token = object == nullptr ? nullptr : object->if_contains("access_token");
  if (token == nullptr || !token->is_string()) return std::unexpected("token of the account: the answer has none");
  const json::value* seconds = object->if_contains("expires_in");
  const std::int64_t lasts = seconds != nullptr && seconds->is_int64() ? seconds->as_int64() : 0;
  constexpr std::chrono::seconds kLeast{10}, kMost{24 * 3600};
  const auto good_for =
      std::clamp(std::chrono::seconds(std::clamp<std::int64_t>(lasts, 0, kMost.count())) - kRenewBefore, kLeast, kMost);
  return Renewed<std::string>::Fresh{std::string(token->get_string()), now + good_for};
}

}  // namespace

std::expected<std::string, std::string> token_claim(const std::string& client_email, const std::string& private_key,
                                                    const std::string& token_uri, std::chrono::sys_seconds now) {
  const std::int64_t seconds = now.time_since_epoch().count();
  const json::object header = {{"alg", "RS256"}, {"typ", "JWT"}};
  const json::object claims = {{"iss", client_email},
                               {"scope", "https://www.googleapis.com/auth/devstorage.read_only"},
                               {"aud", token_uri},
                               {"iat", seconds},
                               {"exp", seconds + 3600}};
  const std::string header_text = json::serialize(header), claims_text = json::serialize(claims);
  std::string claim = fmt::format("{}.{}", base64_url(as_bytes(header_text)), base64_url(as_bytes(claims_text)));
  const auto signature = sign_rs256(with_line_ends(private_key), claim);
  if (!signature) return std::unexpected(signature.error());
  return fmt::format("{}.{}", claim, base64_url(*signature));
}

GcsEndpoint::GcsEndpoint(const sources::GcsPlace& place, HttpClient& client, std::function<Clock::time_point()> now)
    : place_(place),
      base_(fmt::format("{}/{}", endpoint_url(place.endpoint, "https://storage.googleapis.com"),
                        http::percent_encode(place.bucket))),
      shown_(base_ + key_path(place.prefix, "").value_or("")),
      token_uri_(place.token_uri.empty() ? "https://oauth2.googleapis.com/token" : place.token_uri),
      fingerprint_(fingerprint_of(place)),
      now_(now),
      client_(client),
      token_([this] { return ask_token(); }, now) {}

Task<std::expected<HttpRequest, std::string>> GcsEndpoint::request(Method method, std::string path) {
  auto key = key_path(place_.prefix, path);
  if (!key) co_return std::unexpected(std::move(key.error()));
  HttpRequest request{.url = base_ + *key};
  request.head_only = method == Method::head;
  std::string token = place_.bearer_token;
  if (token.empty() && !place_.private_key.empty()) {
    auto fresh = co_await token_.get();
    if (!fresh) co_return std::unexpected(std::move(fresh.error()));
    token = std::move(*fresh);
  }
  if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
  co_return request;
}

Task<std::expected<Renewed<std::string>::Fresh, std::string>> GcsEndpoint::ask_token() {
  const auto now = std::chrono::floor<std::chrono::seconds>(now_());
  const auto claim = token_claim(place_.client_email, place_.private_key, token_uri_, now);
  if (!claim) co_return std::unexpected(claim.error());
  HttpRequest request{.url = token_uri_};
  request.verb = "POST";
  request.body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + *claim;
  const auto text = co_await ask_text(client_, std::move(request), "token of the account");
  if (!text) co_return std::unexpected(text.error());
  co_return parse_token(*text, now_());
}

}  // namespace symcached::fetch
