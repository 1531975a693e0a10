#include "auth/credentials.hpp"

#include "base/bytes.hpp"
#include "fetch/secrets.hpp"

namespace symcached::auth {
namespace {

Credentials basic(std::string_view value) {
  const auto bytes = fetch::base64_decode(value);
  if (!bytes) return BadCredentials{"Basic: not base64"};
  const std::string_view pair = as_text(*bytes);
  const std::size_t colon = pair.find(':');
  if (colon == std::string_view::npos) return BadCredentials{"Basic: no password"};
  return BasicPair{std::string(pair.substr(0, colon)), std::string(pair.substr(colon + 1))};
}

Credentials negotiate(std::string_view value) {
  auto bytes = fetch::base64_decode(value);
  if (!bytes || bytes->empty()) return BadCredentials{"Negotiate: not base64"};
  return NegotiateToken{std::move(*bytes)};
}

}  // namespace

Credentials credentials_of(const http::Request& request) {
  const auto header = request.header("Authorization");
  if (!header) return NoCredentials{};
  if (request.count("Authorization") > 1) return BadCredentials{"more than one Authorization header"};
  const std::size_t blank = header->find(' ');
  if (blank == std::string_view::npos) return BadCredentials{"an Authorization header without credentials"};
  const std::string_view scheme = header->substr(0, blank);
  const std::string_view value = header->substr(std::min(header->find_first_not_of(' ', blank), header->size()));
  if (http::same_name(scheme, "Negotiate")) return negotiate(value);
  if (http::same_name(scheme, "Basic")) return basic(value);
  if (http::same_name(scheme, "Bearer")) return BearerToken{std::string(value)};
  return BadCredentials{"an unknown scheme"};
}

}  // namespace symcached::auth
