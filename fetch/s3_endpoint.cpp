#include "fetch/s3_endpoint.hpp"

#include <fmt/format.h>

#include "fetch/bucket_path.hpp"
#include "fetch/redirect.hpp"

namespace symcached::fetch {
namespace {

/// A certificate for *.s3.region.amazonaws.com does not cover a bucket with a dot in its name.
bool is_path_style(const sources::S3Place& place) {
  return place.path_style || place.bucket.find('.') != std::string::npos;
}

std::string bucket_url(const sources::S3Place& place) {
  const std::string_view country = place.region.starts_with("cn-") ? ".cn" : "";
  const std::string standard = fmt::format("https://s3.{}.amazonaws.com{}", place.region, country);
  std::string url = endpoint_url(place.endpoint, standard);
  const std::string bucket = http::percent_encode(place.bucket);
  if (is_path_style(place)) return fmt::format("{}/{}", url, bucket);
  return url.insert(url.find("://") + 3, bucket + ".");
}

/// As libcurl sends it: the port only where it is not the scheme's own.
std::string host_header(const std::string& url) {
  const auto target = parse_target(url);
  if (!target) return {};
  const bool usual = target->port == (target->scheme == "https" ? "443" : "80");
  const std::string place = target->place();
  return usual ? place.substr(0, place.rfind(':')) : place;
}

}  // namespace

S3Endpoint::S3Endpoint(const sources::S3Place& place, HttpClient& client, AwsMetadata metadata,
                       std::function<Clock::time_point()> now)
    : region_(place.region),
      prefix_(place.prefix),
      base_(bucket_url(place)),
      host_(host_header(base_)),
      shown_(base_ + key_path(place.prefix, "").value_or("")),
      now_(now),
      credentials_(place, client, std::move(metadata), now) {}

Task<std::expected<HttpRequest, std::string>> S3Endpoint::request(Method method, std::string path) {
  auto key = key_path(prefix_, path);
  if (!key) co_return std::unexpected(std::move(key.error()));
  auto keys = co_await credentials_.get();
  if (!keys) co_return std::unexpected(std::move(keys.error()));
  HttpRequest request{.url = base_ + *key};
  request.head_only = method == Method::head;
  if (keys->access_key.empty()) co_return request;
  const auto now = std::chrono::floor<std::chrono::seconds>(now_());
  request.headers.emplace_back("x-amz-content-sha256", kEmptyPayload);
  request.headers.emplace_back("x-amz-date", amz_date(now));
  if (!keys->session_token.empty()) request.headers.emplace_back("x-amz-security-token", keys->session_token);
  const std::size_t path_at = request.url.find('/', request.url.find("://") + 3);
  ToSign to_sign{.method = request.head_only ? "HEAD" : "GET",
                 .path = request.url.substr(path_at),
                 .headers = request.headers,
                 .payload_hash = kEmptyPayload};
  to_sign.headers.emplace_back("host", host_);
  request.headers.emplace_back("Authorization", sign_v4(*keys, region_, "s3", to_sign, now));
  co_return request;
}

Task<std::expected<std::string, std::string>> S3Endpoint::presigned(std::string path, std::string media_type,
                                                                    std::chrono::seconds expires) {
  const auto key = key_path(prefix_, path);
  if (!key) co_return std::unexpected(key.error());
  const auto keys = co_await credentials_.get();
  if (!keys) co_return std::unexpected(keys.error());
  const std::string url = base_ + *key;
  if (keys->access_key.empty()) co_return url;
  ToSign to_sign{.method = "GET",
                 .path = url.substr(url.find('/', url.find("://") + 3)),
                 .query = "response-content-type=" + http::percent_encode(media_type),
                 .headers = {{"host", host_}},
                 .payload_hash = {}};
  const auto now = std::chrono::floor<std::chrono::seconds>(now_());
  co_return url + "?" + presign_v4(*keys, region_, "s3", std::move(to_sign), expires, now);
}

}  // namespace symcached::fetch
