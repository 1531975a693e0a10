#include "fetch/azure_endpoint.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <map>

#include "base/ascii.hpp"
#include "fetch/bucket_path.hpp"
#include "fetch/secrets.hpp"

namespace symcached::fetch {
namespace {

constexpr const char* kVersion = "2021-08-06";  ///< of the protocol

std::string container_url(const sources::AzurePlace& place) {
  const std::string standard = fmt::format("https://{}.blob.core.windows.net", place.account);
  return fmt::format("{}/{}", endpoint_url(place.endpoint, standard), http::percent_encode(place.container));
}

std::uint64_t fingerprint_of(const sources::AzurePlace& place) {
  return place.sas.empty() && place.shared_key.empty() ? 0 : fingerprint({place.sas, place.shared_key});
}

/// "/account/path", then a line for each parameter by name.
std::string canonical_resource(const std::string& account, std::string_view url) {
  const std::size_t query_at = std::min(url.find('?'), url.size());
  const std::size_t path_at = std::min(url.find('/', url.find("://") + 3), query_at);
  std::map<std::string, std::string> parameters;
  std::string_view query = url.substr(std::min(query_at + 1, url.size()));
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(one.size() + 1, query.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    const auto value = http::percent_decode(one.substr(std::min(equals + 1, one.size())));
    parameters[lower_ascii(one.substr(0, equals))] = value.value_or("");
  }
  std::string text = fmt::format("/{}{}", account, url.substr(path_at, query_at - path_at));
  for (const auto& [name, value] : parameters) text += fmt::format("\n{}:{}", name, value);
  return text;
}

}  // namespace

std::string azure_string_to_sign(const std::string& account, const std::string& method, const std::string& url,
                                 const http::Headers& headers) {
  std::map<std::string, std::string> own;
  std::string range;
  for (const auto& [name, value] : headers) {
    const std::string lower = lower_ascii(name);
    if (lower.starts_with("x-ms-")) own[lower] = value;
    if (lower == "range") range = value;
  }
  std::string text = method;  // then ten headers that requests without a body do not have
  text += std::string(11, '\n') + range + "\n";
  for (const auto& [name, value] : own) text += fmt::format("{}:{}\n", name, value);
  return text + canonical_resource(account, url);
}

AzureEndpoint::AzureEndpoint(const sources::AzurePlace& place, std::function<Clock::time_point()> now)
    : account_(place.account),
      prefix_(place.prefix),
      sas_(place.sas.starts_with('?') ? place.sas.substr(1) : place.sas),
      key_(base64_decode(place.shared_key)),
      base_(container_url(place)),
      shown_(base_ + key_path(place.prefix, "").value_or("")),
      fingerprint_(fingerprint_of(place)),
      now_(std::move(now)) {}

Task<std::expected<HttpRequest, std::string>> AzureEndpoint::request(Method method, std::string path) {
  auto key = key_path(prefix_, path);
  if (!key) co_return std::unexpected(std::move(key.error()));
  if (!key_) co_return std::unexpected("the shared key is not base64");
  HttpRequest request{.url = base_ + *key};
  request.head_only = method == Method::head;
  request.headers.emplace_back("x-ms-version", kVersion);
  if (!sas_.empty()) {
    request.url += "?" + sas_;
    co_return request;
  }
  if (key_->empty()) co_return request;
  const auto now = std::chrono::floor<std::chrono::seconds>(now_());
  request.headers.emplace_back("x-ms-date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", now));
  request.sign = [account = account_, secret = *key_](HttpRequest& complete) {  // a range is signed, too
    const std::string text =
        azure_string_to_sign(account, complete.head_only ? "HEAD" : "GET", complete.url, complete.headers);
    complete.headers.emplace_back("Authorization",
                                  fmt::format("SharedKey {}:{}", account, base64(hmac_sha256(secret, text))));
  };
  co_return request;
}

}  // namespace symcached::fetch
