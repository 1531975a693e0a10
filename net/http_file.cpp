#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "net/http.hpp"

namespace symcached::http {
namespace {

struct Whole {};          ///< no range we serve: the whole file
struct Unsatisfiable {};  ///< a good range with nothing in it
struct Part {
  std::uint64_t offset, size;
};
using Range = std::variant<Whole, Unsatisfiable, Part>;

/// Digits only. A number too large for 64 bits lies behind the end of every file, so the largest one serves as well.
std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  return error == std::errc::result_out_of_range ? std::numeric_limits<std::uint64_t>::max() : value;
}

/// RFC 9110, 14.1.2. Several ranges at once are allowed to be answered with the whole file, and are.
Range parse_range(std::string_view value, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!same_name(value.substr(0, kUnit.size()), kUnit)) return Whole{};
  value.remove_prefix(kUnit.size());
  const std::size_t dash = value.find('-');
  if (dash == std::string_view::npos) return Whole{};
  const auto first = number(value.substr(0, dash));
  const auto last = number(value.substr(dash + 1));
  if (dash == 0) {
    if (!last) return Whole{};
    const std::uint64_t length = std::min(*last, size);
    if (length == 0) return Unsatisfiable{};
    return Part{size - length, length};
  }
  const bool open_ended = dash + 1 == value.size();
  if (!first || (!last && !open_ended) || (last && *last < *first)) return Whole{};
  if (*first >= size) return Unsatisfiable{};
  const std::uint64_t end = open_ended || *last >= size ? size : *last + 1;
  return Part{*first, end - *first};
}

/// Weak comparison against a list of tags, or "*".
bool matches(std::string_view list, std::string_view etag) {
  if (list == "*") return true;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view tag = list.substr(0, comma);
    while (tag.starts_with(' ') || tag.starts_with('\t')) tag.remove_prefix(1);
    while (tag.ends_with(' ') || tag.ends_with('\t')) tag.remove_suffix(1);
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

}  // namespace

Response file_response(const Request& request, FileSlice whole, const std::string& etag, Headers headers) {
  headers.emplace_back("ETag", etag);
  if (const auto known = request.header("If-None-Match"); known && matches(*known, etag)) {
    std::erase_if(headers, [](const Header& h) { return same_name(h.first, "Content-Type"); });
    return {304, std::move(headers), ""};
  }
  headers.emplace_back("Accept-Ranges", "bytes");
  Range range = Whole{};
  const auto if_range = request.header("If-Range");
  if (const auto wanted = request.header("Range"); wanted && request.is("GET") && if_range.value_or(etag) == etag)
    range = parse_range(*wanted, whole.size);
  if (std::holds_alternative<Unsatisfiable>(range))
    return text(416, "range not satisfiable", {{"Content-Range", fmt::format("bytes */{}", whole.size)}});
  if (const auto* part = std::get_if<Part>(&range)) {
    headers.emplace_back("Content-Range",
                         fmt::format("bytes {}-{}/{}", part->offset, part->offset + part->size - 1, whole.size));
    whole.offset += part->offset;
    whole.size = part->size;
    return {206, std::move(headers), std::move(whole)};
  }
  return {200, std::move(headers), std::move(whole)};
}

}  // namespace symcached::http
