#pragma once
/// Where a request may be led. docs/protocols/symstore.md has the rules.
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "fetch/url.hpp"

namespace symcached::fetch {

/// A URL to ask, and what of it decides who is asked.
struct Target {
  std::string url;
  std::string scheme;  ///< lower case
  std::string host;    ///< lower case, an IPv6 address without its brackets
  std::string port;    ///< always there

  std::string place() const;  ///< "host:port"
  std::string shown() const;  ///< "https://host:port": for messages, without path and secrets
  bool same_place(const Target& other) const { return host == other.host && port == other.port; }
  bool same_origin(const Target& other) const { return scheme == other.scheme && same_place(other); }
};

std::expected<Target, std::string> parse_target(std::string_view url);

/// Where a Location header leads. Only to http and https, never from https to http. The credentials of the URL that was
/// asked first go along within its origin; those in the header go nowhere.
/// @return the target, or why it is not followed, without secrets
std::expected<Target, std::string> redirected(const Target& first, const Target& from, std::string_view location);

/// The host, if it is an address written out, or a name for this machine, that is not of the public internet.
std::optional<std::string> private_address(const Target& target);
/// False for what is no address.
bool is_public_text(std::string_view address);

/// The proxy that the environment names for this scheme; empty: none.
std::string proxy_of(std::string_view scheme);

}  // namespace symcached::fetch
