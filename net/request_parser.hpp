#pragma once
/// Requests out of bytes as they come, within limits. Knows no connection and no time. Private to `net/`.
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>

#include "net/http.hpp"
#include "net/http_server.hpp"
#include "net/request_body.hpp"

namespace symcached::net {

/// The largest buffer that a parser needs: a whole head, or the line before a chunk.
std::size_t most_buffered(const ServerOptions& options);

/// One request. Used up when it is complete or refused.
class RequestParser {
 public:
  enum class Step { need_more, complete, refused };

  explicit RequestParser(const ServerOptions& options);

  /// Takes what it can from the front of `buffer`. Bytes behind the request stay. Throws only bad_alloc.
  Step feed(boost::beast::flat_buffer& buffer);

  bool has_head() const { return parser_.is_header_done(); }
  /// Bytes of the body so far, without what frames chunks.
  std::uint64_t body_bytes() const { return parser_.get().body().size; }
  /// The client waits for "100 Continue" before it sends the body.
  bool expects_continue() const;

  http::Request take_request();  ///< once, of a complete one
  /// Why it was refused.
  http::Response take_refusal() { return std::move(refusal_); }
  bool http_1_1() const { return !has_head() || parser_.get().version() >= 11; }
  bool head_only() const { return parser_.get().method() == boost::beast::http::verb::head; }
  bool keep_alive() const { return parser_.keep_alive(); }

 private:
  Step put(boost::beast::flat_buffer& buffer);
  Step refuse(unsigned status, std::string_view why);
  Step refuse(const boost::system::error_code& why, const boost::beast::flat_buffer& buffer);
  Step check_head();
  Step plan_body();

  const ServerOptions& options_;
  boost::beast::http::request_parser<RequestBody> parser_;
  std::size_t head_bytes_ = 0;
  http::Response refusal_;
};

}  // namespace symcached::net
