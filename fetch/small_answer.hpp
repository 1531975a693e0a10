#pragma once
/// An answer that is kept in memory: tokens, keys, the start of an error.
#include <string>

#include "fetch/http_client.hpp"

namespace symcached::fetch {

struct SmallAnswer {
  HttpResult result;
  std::string body;  ///< of a 200
};

/// @param most  bytes of the body; one more, and the answer ends as too large
Task<SmallAnswer> ask_small(HttpClient& client, HttpRequest request, std::size_t most);
/// The same, where anything but a 200 is an error. @param what  names it in the error: "token of the account"
Task<std::expected<std::string, std::string>> ask_text(HttpClient& client, HttpRequest request, std::string what);

}  // namespace symcached::fetch
