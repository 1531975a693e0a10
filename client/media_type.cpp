#include "client/media_type.hpp"

#include <algorithm>
#include <iterator>

#include "net/http.hpp"
#include "wpt/choice.hpp"
#include "wpt/media_type.hpp"

namespace symcached::client {
namespace {

struct Row {
  Format format;
  std::string_view type;
  wpt::Version minimum;
};
constexpr Row kFormats[] = {
    {Format::microsoft, wpt::kMicrosoftType, wpt::kMicrosoftMinimum},
    {Format::open, wpt::kOpenType, wpt::kOpenMinimum},
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// Takes what is before the next `separator`, which goes too, without blanks around it.
std::string_view take(std::string_view& text, char separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return trimmed(taken);
}

std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

wpt::Version minimum_of(Format format) { return std::ranges::find(kFormats, format, &Row::format)->minimum; }

Format format_of(const wpt::Version& version) {
  return version >= wpt::kMicrosoftMinimum ? Format::microsoft : Format::open;
}

std::optional<SymcacheType> parse_media_type(std::string_view text) {
  const std::string_view type = take(text, ';');
  const auto* const row = std::ranges::find_if(kFormats, [&](const Row& r) { return http::same_name(r.type, type); });
  if (row == std::end(kFormats)) return std::nullopt;
  SymcacheType found{row->format};
  while (!text.empty()) {
    std::string_view value = take(text, ';');
    const std::string_view name = take(value, '=');
    if (!http::same_name(name, "version")) continue;
    const auto version = wpt::Version::parse(unquoted(trimmed(value)));
    if (!version || found.version) return std::nullopt;
    found.version = version;
  }
  return found;
}

}  // namespace symcached::client
