#pragma once
/// What asking a URL ended in.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached::fetch {

/// Of the last answer, redirects followed. Values are as the server sent them.
struct HttpHead {
  unsigned status = 0;  ///< 0: there was no answer
  std::string content_type = {};
  std::string length = {};  ///< of the body as it is on the wire
  std::string etag = {};
  std::string last_modified = {};
  std::string content_encoding = {};  ///< as sent; the sink gets the body decoded
  std::string content_range = {};
  std::string accept_ranges = {};
  std::string error_code = {};  ///< x-ms-error-code
  std::string content_md5 = {}, digest = {}, repr_digest = {}, amz_sha256 = {}, goog_hash = {};
  std::optional<std::chrono::seconds> retry_after = {};  ///< of a 429 or 503; at most kMaxRetryAfter
  std::optional<std::chrono::seconds> there_after = {};  ///< the same header of a 404: it is being made
  std::string redirect_type = {};  ///< Content-Type of the first redirect on the way that was no web page
};

struct HttpResult {
  enum class End : std::uint8_t {
    answered,        ///< with the status of the head; the body of a 200 came whole
    cut_short,       ///< the body of a 200 broke off, or is not what its digest says
    too_large,       ///< the body of a 200 is over the limit
    led_astray,      ///< a redirect, or the URL itself, leads where nothing is asked
    exhausted,       ///< this machine is out of something, or the sink failed: nothing about the server
    no_host,         ///< its name cannot be resolved
    no_connection,   ///< refused, unreachable
    tls_failed,      ///< a certificate that is not trusted, most often
    timed_out,       ///< no connection, or no whole head, in time
    too_slow,        ///< the body came too slowly, or took too long in all
    reset,           ///< the connection broke before there was a body
    failed,          ///< anything else: not HTTP, most often
    no_credentials,  ///< not asked: they cannot be had
    left_alone,      ///< not asked: the host failed or asked for a pause just now
    not_wanted,      ///< given up by who asked: the start of the body showed that it is another file
    stopped,         ///< the client was stopped
  };
  End end = End::answered;
  HttpHead head = {};
  std::string error = {};  ///< why it did not end as answered, in one line

  std::string other_body = {};  ///< start of the body of an answer other than the one wanted, if it was to be kept

  std::optional<std::chrono::seconds> left_alone_for = {};  ///< the host, now

  bool answered(unsigned status) const { return end == End::answered && head.status == status; }
  bool forbidden() const { return head.status == 401 || head.status == 403; }
  bool out_of_time() const { return end == End::timed_out || end == End::too_slow; }
};

/// By its Content-Type.
bool is_web_page(const HttpHead& head);

}  // namespace symcached::fetch
