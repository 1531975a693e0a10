#include "sources/windows_path.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace symcached::sources {
namespace {

char folded(char c) { return c == '\\' ? '/' : lower_ascii(c); }

std::string_view without_slashes(std::string_view text) {
  while (text.ends_with('/') || text.ends_with('\\')) text.remove_suffix(1);
  return text;
}

bool starts_with_segments(std::string_view path, std::string_view prefix) {
  if (prefix.empty() || path.size() < prefix.size()) return false;
  if (!std::ranges::equal(path.substr(0, prefix.size()), prefix, {}, folded, folded)) return false;
  return path.size() == prefix.size() || folded(path[prefix.size()]) == '/';
}

}  // namespace

bool is_windows_path(std::string_view path) {
  if (path.size() >= 2 && path[1] == ':' && lower_ascii(path[0]) >= 'a' && lower_ascii(path[0]) <= 'z') return true;
  return path.size() >= 2 && folded(path[0]) == '/' && folded(path[1]) == '/';
}

std::optional<std::string> tidy_relative(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of("/\\"), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == ".") continue;
    const auto is_odd = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f || c == ':'; };
    if (std::ranges::any_of(part, is_odd)) return std::nullopt;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string tidy;
  for (const std::string_view part : parts) {
    if (!tidy.empty()) tidy += '/';
    tidy += part;
  }
  return tidy;
}

std::optional<MappedPath> map_path(const PathMap& map, std::string_view path) {
  const PathMapping* best = nullptr;
  for (const PathMapping& row : map) {
    const std::string_view prefix = without_slashes(row.prefix);
    if (starts_with_segments(path, prefix) && (best == nullptr || prefix.size() > without_slashes(best->prefix).size()))
      best = &row;
  }
  if (best == nullptr) return std::nullopt;
  auto below = tidy_relative(path.substr(without_slashes(best->prefix).size()));
  return below ? std::optional(MappedPath{best->target, std::move(*below)}) : std::nullopt;
}

}  // namespace symcached::sources
