#pragma once
/// What a client says about itself (RFC 9110, 11.6.2). Input is hostile.
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "net/http.hpp"

namespace symcached::auth {

struct NoCredentials {};
struct BadCredentials {
  std::string_view why;  ///< without anything the client said
};
struct NegotiateToken {
  std::vector<std::byte> token;
};
struct BasicPair {
  std::string name, password;
};
struct BearerToken {
  std::string token;
};
using Credentials = std::variant<NoCredentials, BadCredentials, NegotiateToken, BasicPair, BearerToken>;

Credentials credentials_of(const http::Request& request);

}  // namespace symcached::auth
