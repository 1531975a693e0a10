#pragma once
/// What a server's answer to a request for a symcache means. Pure: from head to meaning.
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <variant>

#include "fetch/http_result.hpp"
#include "wpt/version.hpp"

namespace symcached::client {

/// The version of a body, from its media type or that of the redirect to it; the one asked for where neither says.
/// @return the version, or why the body is not what was asked for, in one line
std::expected<wpt::Version, std::string> version_of_body(const fetch::HttpHead& head, const wpt::Version& requested);

struct Received {};
struct NothingNewer {};  ///< than what the request said that the client has
struct Absent {};        ///< for good, says the server
struct Later {
  std::chrono::seconds wait{};  ///< then the same request may bring more
  enum class Kind : std::uint8_t { being_made, busy, slow } kind{};
};
struct Failed {
  std::string why;       ///< one line, without the server's name
  bool is_ours = false;  ///< this machine's or its directory's fault: another server would not help
};
using Answer = std::variant<Received, NothingNewer, Absent, Later, Failed>;

inline constexpr std::chrono::seconds kShortestWait{1}, kLongestPoll{30};

/// @param result  of a request with its retries; a 200 came whole
/// @param asked_to_wait  the host asked for a pause before: one that is left alone is waited for
Answer meaning_of(const fetch::HttpResult& result, bool asked_to_wait);

}  // namespace symcached::client
