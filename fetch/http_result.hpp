#pragma once
/// What asking a URL ended in.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace symcached::fetch {

/// Of the last answer, redirects followed. Values are as the server sent them.
struct HttpHead {
  unsigned status = 0;  ///< 0: there was no answer
  std::string content_type = {};
  std::string length = {};  ///< of the body as it is on the wire
  std::string etag = {};
  std::string last_modified = {};
  std::optional<std::chrono::seconds> retry_after = {};  ///< at most kMaxRetryAfter
};

struct HttpResult {
  enum class End : std::uint8_t {
    answered,    ///< with the status of the head; the body of a 200 came whole
    cut_short,   ///< the body of a 200 broke off
    too_large,   ///< the body of a 200 is over the limit
    led_astray,  ///< a redirect, or the URL itself, leads where nothing is asked
    exhausted,   ///< this machine is out of something, or the sink failed: nothing about the server
    failed,      ///< no connection, time-out, TLS
    stopped,     ///< the client was stopped
  };
  End end = End::answered;
  HttpHead head = {};
  std::string error = {};  ///< why it did not end as answered, in one line

  bool answered(unsigned status) const { return end == End::answered && head.status == status; }
};

/// By its Content-Type.
bool is_web_page(const HttpHead& head);

}  // namespace symcached::fetch
