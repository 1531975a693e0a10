#include "profiling/http_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "base/ascii.hpp"
#include "base/bytes.hpp"

namespace symcached::pprof {
namespace {

constexpr std::string_view kEmptyLine = "\r\n\r\n";
constexpr std::size_t kMostHeaders = 100;
constexpr std::size_t kLongestTarget = 16 << 10;  ///< bytes

std::unexpected<Refusal> bad(std::string_view why) { return std::unexpected(Refusal{400, std::string(why)}); }

/// RFC 9110, 5.6.2
bool is_token(std::string_view text) {
  const auto is_allowed = [](char c) {
    const char lower = lower_ascii(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
  };
  return !text.empty() && std::ranges::all_of(text, is_allowed);
}

std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts a line off. @return without its CR LF; the caller has seen that there is one
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

/// Whether a list such as "keep-alive, Upgrade" has this in it.
bool has_word(std::string_view list, std::string_view word) {
  const std::string lower = "," + lower_ascii(list) + ",";
  std::string squeezed;
  std::ranges::copy_if(lower, std::back_inserter(squeezed), [](char c) { return c != ' ' && c != '\t'; });
  return squeezed.find(fmt::format(",{},", word)) != std::string::npos;
}

Answer<HttpHead> parse_first_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return bad("the first line of the request is none of HTTP/1");
  HttpHead head;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!version.starts_with("HTTP/")) return bad("the first line of the request is none of HTTP/1");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return std::unexpected(Refusal{505, "HTTP/1.1 is spoken here"});
  if (!is_token(head.method)) return bad("the method is no word");
  const bool is_visible = std::ranges::all_of(head.target, [](char c) { return c > ' ' && c < '\x7f'; });
  if (head.target.empty() || !is_visible) return bad("the target of the request is not visible ASCII");
  if (head.target.size() > kLongestTarget)
    return std::unexpected(Refusal{414, "the target of the request is too long"});
  head.keep_alive = version == "HTTP/1.1";
  return head;
}

/// What a request may have once only.
struct Seen {
  bool host = false, length = false;
};

Answer<void> take_length(std::string_view value, HttpHead& head, Seen& seen) {
  std::uint64_t length = 0;
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, length);
  if (value.empty() || error != std::errc() || at != end) return bad("Content-Length: not a number");
  if (seen.length && length != head.content_length) return bad("Content-Length: two of them");
  head.content_length = length;
  seen.length = true;
  return {};
}

Answer<void> take_header(std::string_view name, std::string_view value, HttpHead& head, Seen& seen) {
  if (name == "content-length") return take_length(value, head, seen);
  if (name == "transfer-encoding")
    return std::unexpected(Refusal{411, "Transfer-Encoding: send the body with a Content-Length"});
  if (name == "host" && std::exchange(seen.host, true)) return bad("Host: two of them");
  if (name == "host") head.host = value;
  if (name == "accept") head.accept += (head.accept.empty() ? "" : ", ") + std::string(value);
  if (name == "authorization") head.authorization = value;
  if (name == "connection" && has_word(value, "close")) head.keep_alive = false;
  if (name == "connection" && has_word(value, "keep-alive") && !has_word(value, "close")) head.keep_alive = true;
  if (name != "expect") return {};
  if (lower_ascii(value) != "100-continue") return std::unexpected(Refusal{417, "Expect: only 100-continue is known"});
  head.expects_continue = true;
  return {};
}

}  // namespace

std::optional<std::size_t> end_of_head(std::string_view data) {
  const std::size_t at = data.find(kEmptyLine);
  if (at == std::string_view::npos) return std::nullopt;
  return at + kEmptyLine.size();
}

Answer<HttpHead> parse_head(std::string_view head) {
  if (head.size() > kMaxHead) return std::unexpected(Refusal{431, "the headers of the request are too long"});
  if (!head.ends_with(kEmptyLine)) return bad("the head of the request has no end");
  SC_TRY(HttpHead parsed, parse_first_line(take_line(head)));
  Seen seen;
  for (std::size_t count = 0; !head.starts_with("\r\n"); ++count) {
    const std::string_view line = take_line(head);
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view value = without_blanks(line.substr(std::min(colon + 1, line.size())));
    const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f'; };
    if (colon == line.size() || !is_token(line.substr(0, colon)) || std::ranges::any_of(value, is_control))
      return bad("a header of the request is malformed");
    if (count == kMostHeaders) return std::unexpected(Refusal{431, "the request has too many headers"});
    if (auto taken = take_header(lower_ascii(line.substr(0, colon)), value, parsed, seen); !taken)
      return std::unexpected(std::move(taken).error());
  }
  return parsed;
}

std::string http_date(std::time_t when) {
  static constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm t{};
  if (::gmtime_r(&when, &t) == nullptr) return {};
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[t.tm_wday], t.tm_mday, kMonths[t.tm_mon],
                     t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 417: return "Expectation Failed";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Other";
  }
}

}  // namespace symcached::pprof
