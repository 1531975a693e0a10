#include "store/entry_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "base/hex.hpp"

namespace symcached::store {
namespace {

constexpr std::string_view kLongestKind = "source_index/v999/";

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_of_scope(char c) {
  return is_lower(lower_ascii(c)) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

bool is_kind(std::string_view text) {
  return !text.empty() && text != "tmp" && is_lower(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || c == '_'; });
}

bool has_scope_letters(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.front() != '-' && std::ranges::all_of(text, is_of_scope);
}

/// "v12"; no zero in front, so that there is one spelling.
std::optional<std::uint32_t> parse_version(std::string_view text) {
  if (text.size() < 2 || text[0] != 'v' || !is_digit(text[1]) || (text[1] == '0' && text.size() > 2))
    return std::nullopt;
  std::uint32_t version = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return version;
}

}  // namespace

std::optional<Place> parse_place(std::string_view text) {
  if (text.size() > kMaxPlace) return std::nullopt;
  const std::size_t first = text.find('/');
  const std::size_t second = first == text.npos ? text.npos : text.find('/', first + 1);
  if (second == text.npos) return std::nullopt;
  const std::string_view kind = text.substr(0, first), scope = text.substr(second + 1);
  const auto version = parse_version(text.substr(first + 1, second - first - 1));
  if (!is_kind(kind) || !version || !has_scope_letters(scope)) return std::nullopt;
  return Place{kind, *version, scope};
}

bool is_scope(std::string_view scope) { return parse_place(std::string(kLongestKind).append(scope)).has_value(); }

std::string place_of(const EntryKey& key) {
  return fmt::format("{}/v{}/{}", key.kind.name, key.kind.version, key.scope);
}

std::optional<Digest> parse_digest(std::string_view digits) {
  Digest digest;
  if (digits.size() != 2 * digest.size() || !is_lower_hex(digits)) return std::nullopt;
  std::ranges::copy(*parse_hex(digits), digest.begin());
  return digest;
}

std::optional<PlacedDigest> parse_entry_name(std::string_view name) {
  constexpr std::size_t kTail = 1 + 2 + 1 + 62;  // "/ab/cdef..."
  if (name.size() <= kTail) return std::nullopt;
  const std::string_view place = name.substr(0, name.size() - kTail), tail = name.substr(place.size());
  if (tail[0] != '/' || tail[3] != '/' || !parse_place(place)) return std::nullopt;
  const auto digest = parse_digest(std::string(tail.substr(1, 2)).append(tail.substr(4)));
  if (!digest) return std::nullopt;
  return PlacedDigest{place, *digest};
}

std::string entry_name(std::string_view place, const Digest& digest) {
  const std::string hash = to_hex(digest);
  const std::string_view digits = hash;
  return fmt::format("{}/{}/{}", place, digits.substr(0, 2), digits.substr(2));
}

std::string entry_name(const EntryKey& key) { return entry_name(place_of(key), sha256(as_bytes(key.readable))); }

}  // namespace symcached::store
