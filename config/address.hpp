#pragma once
/// The address of a listener as text.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached::config {

struct Address {
  std::string host;  ///< IPv4 or IPv6 literal, without brackets
  std::uint16_t port;
};

/// "127.0.0.1:3021", "localhost:3021" or "[::1]:3021".
std::optional<Address> parse_address(std::string_view text);

/// What is wrong with it, and what to write; empty if nothing is.
std::string check_address(std::string_view text);

/// The same of another server's address, which may have a name.
std::string check_server(std::string_view text);

}  // namespace symcached::config
