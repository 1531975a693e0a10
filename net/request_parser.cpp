#include "net/request_parser.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>

namespace symcached::net {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;
using Fault = beast::http::error;

constexpr std::size_t kMostOfRequestLine = 64;  ///< bytes of a request line besides its target
constexpr std::size_t kPiece = 16 << 10;        ///< bytes read behind a head that is just within its limits

std::size_t most_of_head(const ServerOptions& options) {
  return options.max_target + options.max_head + kMostOfRequestLine;
}

/// Whether a request line of fair length is at its front.
bool has_request_line(const beast::flat_buffer& buffer, const ServerOptions& options) {
  const auto* bytes = static_cast<const char*>(buffer.data().data());
  const auto* last = bytes + std::min(buffer.size(), options.max_target + kMostOfRequestLine);
  return std::find(bytes, last, '\n') != last;
}

http::Request head_of(const beast::http::request_header<>& head) {
  http::Request request{std::string(head.method_string()), std::string(head.target())};
  for (const auto& field : head) request.headers.emplace_back(field.name_string(), field.value());
  return request;
}

}  // namespace

std::size_t most_buffered(const ServerOptions& options) { return most_of_head(options) + kPiece; }

RequestParser::RequestParser(const ServerOptions& options) : options_(options) {
  parser_.header_limit(static_cast<std::uint32_t>(most_of_head(options)));
  parser_.body_limit(boost::none);  // until the head says where the body goes
}

RequestParser::Step RequestParser::feed(beast::flat_buffer& buffer) {
  try {
    return put(buffer);
  } catch (const std::length_error&) {  // Beast keeps the lengths of a field in 16 bits
    return refuse(431, "a request header is too large");
  } catch (const std::bad_alloc&) {
    refusal_ = http::text(503, "out of memory; retry later", {{"Retry-After", "5"}});
    return Step::refused;
  }
}

RequestParser::Step RequestParser::put(beast::flat_buffer& buffer) {
  while (buffer.size() > 0 && !parser_.is_done()) {
    const bool had_head = has_head();
    parser_.eager(had_head);
    error_code error;
    const std::size_t used = parser_.put(buffer.data(), error);
    if (error && error != Fault::need_more) return refuse(error, buffer);
    buffer.consume(used);
    if (!had_head) head_bytes_ += used;
    if (!had_head && has_head())
      if (const Step step = check_head(); step == Step::refused) return step;
    if (error == Fault::need_more) break;
  }
  if (parser_.is_done()) return Step::complete;
  if (buffer.size() >= most_buffered(options_)) return refuse(400, "a chunk header or trailer is too large");
  return Step::need_more;
}

RequestParser::Step RequestParser::check_head() {
  const auto& message = parser_.get();
  const std::size_t target = message.target().size();
  if (target > options_.max_target) return refuse(414, "request target is too long");
  const std::size_t request_line = message.method_string().size() + target + std::string_view("  HTTP/1.1\r\n").size();
  if (head_bytes_ > request_line + options_.max_head) return refuse(431, "request headers are too large");
  if (http_1_1() && message.count(beast::http::field::host) != 1)
    return refuse(400, "request has no Host header, or more than one");
  return parser_.is_done() ? Step::need_more : plan_body();
}

RequestParser::Step RequestParser::plan_body() {
  std::uint64_t most = options_.max_body;
  if (options_.body_plan) {
    http::BodyPlan plan = options_.body_plan(head_of(parser_.get().base()));
    if (auto* answer = std::get_if<http::Response>(&plan)) {
      refusal_ = std::move(*answer);
      return Step::refused;
    }
    if (const auto* limit = std::get_if<http::BodyLimit>(&plan)) most = limit->max_size;
    if (auto* target = std::get_if<http::BodyTarget>(&plan)) {
      most = target->max_size;
      parser_.get().body().target = std::move(*target);
    }
  }
  if (const auto length = parser_.content_length(); length && *length > most)
    return refuse(413, "request body is too large");
  parser_.body_limit(most);
  return Step::need_more;
}

bool RequestParser::expects_continue() const {
  return has_head() && !parser_.is_done() && http_1_1() &&
         beast::iequals(parser_.get()[beast::http::field::expect], "100-continue");
}

http::Request RequestParser::take_request() {
  auto message = parser_.release();
  http::Request request = head_of(message.base());
  RequestBody::value_type& body = message.body();
  request.body = std::move(body.text);
  if (body.target) request.stored = http::StoredBody{std::move(body.target->kept), body.size};
  return request;
}

RequestParser::Step RequestParser::refuse(unsigned status, std::string_view why) {
  refusal_ = http::text(status, why);
  return Step::refused;
}

RequestParser::Step RequestParser::refuse(const error_code& why, const beast::flat_buffer& buffer) {
  if (why == Fault::header_limit && has_head()) return refuse(400, "a chunk trailer is too large");
  if (why == Fault::header_limit) {
    const std::size_t target = parser_.get().target().size();
    const bool in_headers = target > 0 ? target <= options_.max_target : has_request_line(buffer, options_);
    return in_headers ? refuse(431, "request headers are too large") : refuse(414, "request target is too long");
  }
  if (why.category() == boost::system::system_category()) {
    refusal_ = http::text(503, "out of disk space; retry later", {{"Retry-After", "60"}});
    return Step::refused;
  }
  if (why == Fault::body_limit) return refuse(413, "request body is too large");
  return refuse(400, "request is not HTTP/1.1");
}

}  // namespace symcached::net
