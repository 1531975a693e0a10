#include "config/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include "base/ascii.hpp"
#include "wpt/version.hpp"

namespace symcached::config {
namespace {

bool is_numeric(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  return ::inet_pton(AF_INET, host.c_str(), &v4) == 1 || ::inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

bool is_host_name(std::string_view host) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-._";
  return lower_ascii(host).find_first_not_of(kLetters) == std::string::npos;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const auto port = wpt::parse_decimal(text.substr(colon + 1));
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty() || !port || *port > 0xffff || (!in_brackets && host.find(':') != std::string_view::npos))
    return std::nullopt;
  if (host == "localhost") host = "127.0.0.1";
  return Address{std::string(host), static_cast<std::uint16_t>(*port)};
}

std::string check_address(std::string_view text) {
  const auto address = parse_address(text);
  if (!address) return fmt::format("\"{}\": use ADDRESS:PORT, such as 127.0.0.1:3021 or [::1]:3021", text);
  if (!is_numeric(address->host))
    return fmt::format("\"{}\": use a numeric address, such as 127.0.0.1:3021 or [::1]:3021", text);
  return {};
}

std::string check_server(std::string_view text) {
  const auto address = parse_address(text);
  if (!address || address->port == 0 || (!is_numeric(address->host) && !is_host_name(address->host)))
    return fmt::format("\"{}\": use HOST:PORT, such as statsd.example:8125 or 127.0.0.1:8125", text);
  return {};
}

}  // namespace symcached::config
