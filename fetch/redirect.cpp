#include "fetch/redirect.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <cstdlib>
#include <cstring>

#include "base/ascii.hpp"
#include "fetch/public_address.hpp"

namespace symcached::fetch {
namespace {

Target target_of(const Url& url) {
  Target target;
  target.url = url.part(CURLUPART_URL);
  target.scheme = lower_ascii(url.part(CURLUPART_SCHEME));
  target.host = lower_ascii(url.part(CURLUPART_HOST));
  target.port = url.part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (target.host.starts_with('[') && target.host.ends_with(']'))
    target.host = target.host.substr(1, target.host.size() - 2);
  return target;
}

bool is_web(const Target& target) { return target.scheme == "http" || target.scheme == "https"; }

/// The address in `text`; nothing if it is none.
std::optional<sockaddr_storage> parse_address(const std::string& text) {
  sockaddr_storage storage{};
  sockaddr_in v4{.sin_family = AF_INET};
  sockaddr_in6 v6{.sin6_family = AF_INET6};
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) std::memcpy(&storage, &v4, sizeof v4);
  else if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) std::memcpy(&storage, &v6, sizeof v6);
  else return std::nullopt;
  return storage;
}

bool is_public(const sockaddr_storage& address) { return fetch::is_public(reinterpret_cast<const sockaddr&>(address)); }

constexpr const char* kProxyNames[][4] = {
    {"http_proxy", "all_proxy", "ALL_PROXY", nullptr},  // HTTP_PROXY is what a CGI program has of a request's header
    {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"},
};

}  // namespace

std::string Target::place() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::string Target::shown() const { return fmt::format("{}://{}", scheme, place()); }

std::expected<Target, std::string> parse_target(std::string_view url) {
  const auto parsed = Url::parse(url);
  if (!parsed) return std::unexpected(parsed.error());
  Target target = target_of(*parsed);
  if (!is_web(target))
    return std::unexpected(fmt::format("scheme {} is not supported; use http or https", target.scheme));
  return target;
}

std::expected<Target, std::string> redirected(const Target& first, const Target& from, std::string_view location) {
  auto url = Url::parse(from.url);
  if (!url) return std::unexpected(url.error());
  if (const auto followed = url->follow(location); !followed)
    return std::unexpected(fmt::format("redirects to an invalid URL ({})", followed.error()));
  for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT})
    url->drop(part);
  Target target = target_of(*url);
  if (!is_web(target))
    return std::unexpected(fmt::format("redirects to scheme {}; only http and https are followed", target.scheme));
  if (from.scheme == "https" && target.scheme == "http")
    return std::unexpected(fmt::format("redirects from https to http ({})", target.shown()));
  if (!target.same_origin(first)) return target;
  const auto asked = Url::parse(first.url);
  if (!asked) return std::unexpected(asked.error());
  for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD})
    if (const std::string secret = asked->part(part); !secret.empty()) url->set(part, secret);
  return target_of(*url);
}

std::optional<std::string> private_address(const Target& target) {
  std::string host = target.host;
  while (host.ends_with('.')) host.pop_back();
  if (host == "localhost" || host.ends_with(".localhost")) return host;
  const auto address = parse_address(host);
  if (!address || is_public(*address)) return std::nullopt;
  return host;
}

bool is_public_text(std::string_view address) {
  const auto parsed = parse_address(std::string(address));
  return parsed && is_public(*parsed);
}

std::string proxy_of(std::string_view scheme) {
  for (const char* name : kProxyNames[scheme == "https" ? 1 : 0]) {
    const char* value = name == nullptr ? nullptr : std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

}  // namespace symcached::fetch
