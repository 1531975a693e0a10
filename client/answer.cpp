#include "client/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/utf8.hpp"
#include "client/media_type.hpp"
#include "net/http.hpp"

namespace symcached::client {
namespace {

using End = fetch::HttpResult::End;
using std::chrono::seconds;

constexpr std::size_t kQuoted = 200;  ///< bytes of a server's words in a message

std::string quoted(std::string_view text) { return escaped(text.substr(0, kQuoted)); }

/// Types of stores that serve any file: what it is was said by who redirected there.
bool says_nothing(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return type.empty() || http::same_name(type, "application/octet-stream") ||
         http::same_name(type, "binary/octet-stream");
}

std::optional<SymcacheType> type_of(const fetch::HttpHead& head) {
  const auto redirect = parse_media_type(head.redirect_type);
  if (says_nothing(head.content_type)) return redirect;
  auto type = parse_media_type(head.content_type);
  if (type && !type->version && redirect && redirect->format == type->format) type->version = redirect->version;
  return type;
}

std::string_view name_of(Format format) { return format == Format::open ? "the open format" : "Microsoft's format"; }

/// " (the first line of what the server says)"; empty if it says nothing.
std::string words_of(const fetch::HttpResult& result) {
  const std::string_view body = result.other_body;
  const std::string_view line = body.substr(0, body.find_first_of("\r\n"));
  if (line.empty() || fetch::is_web_page(result.head)) return {};
  return fmt::format(" ({})", quoted(line));
}

Failed failed(std::string why) { return {std::move(why), false}; }

Answer meaning_of_status(const fetch::HttpResult& result) {
  const fetch::HttpHead& head = result.head;
  switch (head.status) {
    case 200: return Received{};
    case 304: return NothingNewer{};
    case 404:
      if (!head.there_after) return Absent{};
      return Later{std::clamp(*head.there_after, kShortestWait, kLongestPoll), Later::Kind::being_made};
    case 410: return Absent{};
    case 401:
      return failed(
          "HTTP status 401: the server wants credentials, or other ones; give a password or a token, or get a ticket "
          "of Kerberos");
    case 403: return failed("HTTP status 403: the server does not give this symcache to us" + words_of(result));
    case 407: return failed("HTTP status 407: the proxy wants credentials; put them into its URL");
    default: break;
  }
  if (head.retry_after) return Later{std::max(*head.retry_after, kShortestWait), Later::Kind::busy};
  return failed(fmt::format("HTTP status {}{}", head.status, words_of(result)));
}

}  // namespace

std::expected<wpt::Version, std::string> version_of_body(const fetch::HttpHead& head, const wpt::Version& requested) {
  if (fetch::is_web_page(head))
    return std::unexpected("sent a web page instead of a symcache, a login page most likely; are credentials missing?");
  const auto type = type_of(head);
  if (!type)
    return std::unexpected(fmt::format("sent \"{}\", which is no symcache; is it the URL of a SymCache server?",
                                       quoted(head.content_type)));
  const Format wanted = format_of(requested);
  if (type->format != wanted)
    return std::unexpected(fmt::format("sent a symcache of {}, not of {}; ask for version {}", name_of(type->format),
                                       name_of(wanted), minimum_of(type->format).to_string()));
  const wpt::Version version = type->version.value_or(requested);
  if (version.major_part > requested.major_part || version < minimum_of(wanted))
    return std::unexpected(fmt::format("sent version {}, which nobody who asks for {} can read", version.to_string(),
                                       requested.to_string()));
  return version;
}

Answer meaning_of(const fetch::HttpResult& result, bool asked_to_wait) {
  switch (result.end) {
    case End::answered: return meaning_of_status(result);
    case End::timed_out:
    case End::too_slow: return Later{kShortestWait, Later::Kind::slow};
    case End::left_alone:
      if (asked_to_wait && result.left_alone_for)
        return Later{std::max(*result.left_alone_for, kShortestWait), Later::Kind::busy};
      return failed(result.error);
    default: return Failed{result.error, result.end == End::exhausted};
  }
}

}  // namespace symcached::client
