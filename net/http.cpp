#include "net/http.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"

namespace symcached::http {
namespace {

constexpr std::size_t kLikelySegments = 8;

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::string_view> find(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers)
    if (same_name(key, name)) return trim(value);
  return std::nullopt;
}

/// "http://host:1/path?q" or "/path?q" to "/path".
std::optional<std::string_view> path_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_name(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    target.remove_prefix(std::min(target.find_first_of("/?#"), target.size()));
    if (target.empty() || target.front() != '/') return "/";
  }
  if (target.empty() || target.front() != '/') return std::nullopt;
  return target.substr(0, target.find_first_of("?#"));
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower_ascii(x) == lower_ascii(y); });
}

std::optional<std::string_view> Request::header(std::string_view name) const { return find(headers, name); }

std::size_t Request::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(headers, [&](const Header& h) { return same_name(h.first, name); }));
}

std::optional<std::string_view> Response::header(std::string_view name) const { return find(headers, name); }

std::uint64_t Response::body_size() const {
  return std::visit(overloaded{[](const std::string& s) -> std::uint64_t { return s.size(); },
                               [](const FileSlice& slice) { return slice.size; }},
                    body);
}

Response text(unsigned status, std::string_view line, Headers headers) {
  headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
  return {status, std::move(headers), fmt::format("{}\n", line)};
}

std::string_view reason_phrase(unsigned status) {
  struct Row {
    unsigned status;
    std::string_view phrase;
  };
  constexpr Row kRows[] = {
      {200, "OK"},
      {204, "No Content"},
      {206, "Partial Content"},
      {302, "Found"},
      {304, "Not Modified"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {416, "Range Not Satisfiable"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {503, "Service Unavailable"},
  };
  const auto* row = std::ranges::find(kRows, status, &Row::status);
  return row == std::end(kRows) ? "Status" : row->phrase;
}

std::optional<std::vector<std::string>> path_segments(std::string_view target) {
  const auto path = path_of(target);
  if (!path) return std::nullopt;
  std::vector<std::string> segments;
  segments.reserve(kLikelySegments);
  std::string_view rest = path->substr(1);
  for (bool last = false; !last;) {
    const std::size_t slash = rest.find('/');
    last = slash == std::string_view::npos;
    const std::string_view segment = rest.substr(0, slash);
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (segment != ".") {
      segments.emplace_back(segment);
    }
    if (last && (segment == "." || segment == "..")) segments.emplace_back();
    if (!last) rest.remove_prefix(slash + 1);
  }
  return segments;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::size_t percent = text.find('%');
  std::string out(text.substr(0, percent));
  while (percent < text.size()) {
    text.remove_prefix(percent);
    const auto high = text.size() > 2 ? hex_digit(text[1]) : std::nullopt;
    const auto low = text.size() > 2 ? hex_digit(text[2]) : std::nullopt;
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high << 4 | *low);
    text.remove_prefix(3);
    percent = text.find('%');
    out += text.substr(0, percent);
  }
  return out;
}

namespace {

std::string encode_but(std::string_view kept, std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter = (lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z') || (c >= '0' && c <= '9');
    if (letter || kept.find(c) != std::string_view::npos) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

std::string percent_encode(std::string_view text) { return encode_but("-._~", text); }

std::string percent_encode_path(std::string_view path) { return encode_but("-._~/", path); }

}  // namespace symcached::http
