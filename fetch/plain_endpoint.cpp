#include "fetch/plain_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "fetch/secrets.hpp"
#include "fetch/url.hpp"

namespace symcached::fetch {
namespace {

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  const auto fits = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  };
  return !name.empty() && std::ranges::all_of(name, fits);
}

bool is_header_value(std::string_view value) {
  return std::ranges::none_of(value, [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; });
}

/// libcurl makes the header of it, and sends it to this origin alone.
std::string with_user(const std::string& full, const sources::HttpPlace& place) {
  auto url = Url::parse(full);
  if (!url) return full;
  url->set(CURLUPART_USER, http::percent_encode(place.user));
  url->set(CURLUPART_PASSWORD, http::percent_encode(place.password));
  std::string whole = url->part(CURLUPART_URL);
  while (whole.ends_with('/')) whole.pop_back();
  return whole;
}

/// A ticket is not sent to a server that gets other credentials, unless it is wanted at once.
Negotiate negotiate_for(const sources::HttpPlace& place, const BaseUrl& url, const http::Headers& headers) {
  if (place.negotiate) return Negotiate::at_once;
  const auto authorizes = [](const auto& header) { return http::same_name(header.first, "Authorization"); };
  const bool has_others = url.full != url.shown || std::ranges::any_of(headers, authorizes);
  return place.negotiate_if_asked && !has_others ? Negotiate::if_asked : Negotiate::never;
}

}  // namespace

std::expected<BaseUrl, std::string> parse_base_url(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return std::unexpected(fmt::format("symbols: unusable URL: {}; write http://host/path or https://host/path", why));
  };
  auto url = Url::parse(text);
  if (!url) return wrong(url.error());
  const std::string scheme = url->part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return wrong(fmt::format("scheme {} is not supported", scheme));
  if (!url->part(CURLUPART_QUERY).empty()) return wrong("it has a query");
  if (!url->part(CURLUPART_FRAGMENT).empty()) return wrong("it has a fragment");
  const auto whole = [&] {
    std::string all = url->part(CURLUPART_URL);
    while (all.ends_with('/')) all.pop_back();
    return all;
  };
  BaseUrl base;
  base.full = whole();
  for (const CURLUPart secret : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS}) url->drop(secret);
  base.shown = whole();
  return base;
}

std::expected<std::unique_ptr<PlainEndpoint>, std::string> PlainEndpoint::open(const sources::HttpPlace& place) {
  auto url = parse_base_url(place.url);
  if (!url) return std::unexpected(std::move(url.error()));
  const auto wrong = [&](std::string_view what) {
    return std::unexpected(fmt::format("source {}: {}", url->shown, what));
  };
  const bool has_user = !place.user.empty() || !place.password.empty();
  if (has_user && !place.bearer_token.empty()) return wrong("both a password and a bearer token; give one");
  http::Headers headers = place.headers;
  if (has_user) url->full = with_user(url->full, place);
  if (!place.bearer_token.empty()) headers.emplace_back("Authorization", "Bearer " + place.bearer_token);
  std::string secrets = url->full == url->shown ? "" : url->full;
  for (const auto& [name, value] : headers) {
    if (!is_header_name(name)) return wrong(fmt::format("\"{}\" is no name of a header", name));
    if (!is_header_value(value)) return wrong(fmt::format("the value of header {} has control characters", name));
    secrets += "\n" + name + ":" + value;
  }
  static std::atomic<unsigned> openings = 0;  // the ticket may be another each time
  const Negotiate negotiate = negotiate_for(place, *url, headers);
  if (negotiate != Negotiate::never) secrets += fmt::format("\nnegotiate {}", ++openings);
  const std::uint64_t credentials = secrets.empty() ? 0 : fingerprint({secrets});
  return std::unique_ptr<PlainEndpoint>(new PlainEndpoint(std::move(*url), std::move(headers), negotiate, credentials));
}

Task<std::expected<HttpRequest, std::string>> PlainEndpoint::request(Method method, std::string path) {
  HttpRequest request{.url = fmt::format("{}/{}", url_.full, http::percent_encode_path(path)), .headers = headers_};
  request.head_only = method == Method::head;
  request.negotiate = negotiate_;
  co_return request;
}

}  // namespace symcached::fetch
