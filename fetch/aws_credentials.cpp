#include "fetch/aws_credentials.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>

#include "base/json.hpp"
#include "fetch/redirect.hpp"
#include "fetch/secrets.hpp"
#include "fetch/small_answer.hpp"

namespace symcached::fetch {
namespace {

using std::chrono::system_clock;

constexpr std::chrono::minutes kRenewBefore{5};
constexpr const char* kContainerHost = "http://169.254.170.2";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Asked directly, and not for long: where there is no such service nobody answers.
HttpRequest metadata_request(std::string url) {
  using namespace std::chrono_literals;
  static const auto kRules = [] {
    sources::NetworkRules rules;
    rules.proxy = "";
    rules.connect_timeout = 1s;
    rules.head_timeout = 5s;
    rules.download_timeout = 10s;
    return std::make_shared<const sources::NetworkRules>(rules);
  }();
  HttpRequest request{.url = std::move(url)};
  request.network = kRules;
  return request;
}

/// "2026-01-31T23:59:59Z"
std::optional<system_clock::time_point> parse_time(const std::string& text) {
  std::tm parts{};
  std::istringstream in(text);
  in >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%SZ");
  if (in.fail()) return std::nullopt;
  return system_clock::from_time_t(::timegm(&parts));
}

/// Both services answer with the same object.
std::expected<Renewed<AwsKeys>::Fresh, std::string> parse_keys(const std::string& text, system_clock::time_point now) {
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(text, error);
  const auto* object = error ? nullptr : parsed.if_object();
  if (object == nullptr) return std::unexpected("temporary keys: the answer is not a JSON object");
  Renewed<AwsKeys>::Fresh fresh;
  const auto text_in = [&](std::string_view key) { return std::string(json_text(*object, key)); };
  fresh.value = {text_in("AccessKeyId"), text_in("SecretAccessKey"), text_in("Token")};
  const auto expires = parse_time(text_in("Expiration"));
  if (fresh.value.access_key.empty() || fresh.value.secret_key.empty() || !expires)
    return std::unexpected("temporary keys: the answer lacks AccessKeyId, SecretAccessKey or Expiration");
  fresh.until = std::max(*expires - kRenewBefore, now + std::chrono::seconds(10));
  return fresh;
}

AwsKeys fixed_keys(const sources::S3Place& place) { return {place.access_key, place.secret_key, place.session_token}; }

}  // namespace

AwsMetadata AwsMetadata::from_environment() {
  AwsMetadata metadata;
  const std::string relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  metadata.container_url =
      relative.empty() ? environment("AWS_CONTAINER_CREDENTIALS_FULL_URI") : kContainerHost + relative;
  metadata.container_token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  metadata.container_token_file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  if (auto url = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT"); !url.empty()) metadata.instance_url = std::move(url);
  while (metadata.instance_url.ends_with('/')) metadata.instance_url.pop_back();
  return metadata;
}

bool is_metadata_url(const std::string& url) {
  constexpr std::array<std::string_view, 6> kHosts{"localhost",     "127.0.0.1",      "::1",
                                                   "169.254.170.2", "169.254.170.23", "fd00:ec2::23"};
  const auto target = parse_target(url);
  if (!target) return false;
  return target->scheme == "https" || std::ranges::find(kHosts, target->host) != kHosts.end();
}

AwsCredentials::AwsCredentials(const sources::S3Place& place, HttpClient& client, AwsMetadata metadata,
                               std::function<system_clock::time_point()> now)
    : fixed_(fixed_keys(place)),
      is_fixed_(place.credentials == sources::S3Place::Credentials::fixed),
      client_(client),
      metadata_(std::move(metadata)),
      now_(now),
      temporary_(
          [this, container = place.credentials == sources::S3Place::Credentials::container] {
            return container ? ask_container() : ask_instance();
          },
          now) {}

Task<std::expected<AwsKeys, std::string>> AwsCredentials::get() {
  if (is_fixed_) co_return fixed_;
  co_return co_await temporary_.get();
}

std::uint64_t AwsCredentials::fingerprint() const {
  const AwsKeys keys = is_fixed_ ? fixed_ : temporary_.latest();
  if (keys.access_key.empty()) return 0;
  return fetch::fingerprint({keys.access_key, keys.secret_key, keys.session_token});
}

Task<std::expected<AwsCredentials::Fresh, std::string>> AwsCredentials::ask_container() {
  if (metadata_.container_url.empty())
    co_return std::unexpected(
        "keys of the container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and _FULL_URI are not set");
  if (!is_metadata_url(metadata_.container_url))
    co_return std::unexpected(
        "keys of the container: AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor this machine");
  HttpRequest request = metadata_request(metadata_.container_url);
  std::string token = metadata_.container_token;
  if (!metadata_.container_token_file.empty()) {
    std::ifstream file(metadata_.container_token_file);
    std::getline(file, token);
  }
  if (!token.empty()) request.headers.emplace_back("Authorization", std::move(token));
  const auto text = co_await ask_text(client_, std::move(request), "keys of the container");
  if (!text) co_return std::unexpected(text.error());
  co_return parse_keys(*text, now_());
}

Task<std::expected<AwsCredentials::Fresh, std::string>> AwsCredentials::ask_instance() {
  HttpRequest session = metadata_request(metadata_.instance_url + "/latest/api/token");
  session.verb = "PUT";
  session.headers.emplace_back("X-aws-ec2-metadata-token-ttl-seconds", "300");
  const auto token = co_await ask_text(client_, std::move(session), "token of the instance's metadata");
  if (!token) co_return std::unexpected(token.error());
  const std::string roles = metadata_.instance_url + "/latest/meta-data/iam/security-credentials/";
  HttpRequest name = metadata_request(roles);
  name.headers.emplace_back("X-aws-ec2-metadata-token", *token);
  auto role = co_await ask_text(client_, std::move(name), "role of the instance");
  if (!role) co_return std::unexpected(role.error());
  role->resize(std::min(role->find_first_of("\r\n"), role->size()));
  HttpRequest keys = metadata_request(roles + http::percent_encode(*role));
  keys.headers.emplace_back("X-aws-ec2-metadata-token", *token);
  const auto text = co_await ask_text(client_, std::move(keys), "keys of the instance's role");
  if (!text) co_return std::unexpected(text.error());
  co_return parse_keys(*text, now_());
}

}  // namespace symcached::fetch
