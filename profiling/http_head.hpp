#pragma once
/// The head of an HTTP/1 request (RFC 9112), strictly: what two readers could take for two things is refused.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

inline constexpr std::size_t kMaxHead = 32 << 10;  ///< bytes

struct HttpHead {
  std::string method, target;
  std::string host, accept, authorization;  ///< the headers of these names; empty if there are none
  std::uint64_t content_length = 0;
  bool keep_alive = false;
  bool expects_continue = false;

  friend bool operator==(const HttpHead&, const HttpHead&) = default;
};

/// @return where the head ends that is in front of `data`, behind the empty line; nothing if it is not all there
std::optional<std::size_t> end_of_head(std::string_view data);

/// @param head  with the empty line at its end
/// @return refused with 400, or with 411 for bodies in chunks, 417, 501, 505
Answer<HttpHead> parse_head(std::string_view head);

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::time_t when);

std::string_view reason_phrase(int status);

}  // namespace symcached::pprof
