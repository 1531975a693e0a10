#include "sources/file_pointer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace symcached::sources {
namespace {

constexpr std::size_t kMaxShown = 200;  ///< bytes of a pointer's own text in messages

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Whether the text begins with the word, in any case, which is cut off.
bool take_prefix(std::string_view& text, std::string_view word) {
  if (lower_ascii(text.substr(0, word.size())) != word) return false;
  text = trimmed(text.substr(word.size()));
  return true;
}

UnusablePointer unusable(std::string_view why) { return {fmt::format("{} {}", kFilePointer, why)}; }

FilePointer below_root(std::string_view path, std::string_view pointer) {
  const std::size_t folder = pointer.rfind('/');
  std::string whole(path);
  if (path.starts_with("..") && folder != std::string_view::npos)
    whole = std::string(pointer.substr(0, folder + 1)) + whole;
  auto tidy = tidy_relative(whole);
  if (!tidy || tidy->empty()) return unusable("leads out of its store");
  return PointsInStore{std::move(*tidy)};
}

}  // namespace

FilePointer read_file_pointer(std::string_view text, std::string_view pointer, const PathMap& map) {
  if (text.size() > kMaxFilePointer) return unusable(fmt::format("is longer than {} bytes", kMaxFilePointer));
  std::string_view path = trimmed(text);
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  if (path.empty() || !is_utf8(path) || std::ranges::any_of(path, is_control)) return unusable("is no line of text");
  if (take_prefix(path, "msg:") || lower_ascii(path) == "msg" || take_prefix(path, "msg "))
    return NotKept{std::string(lower_ascii(path) == "msg" ? "" : path.substr(0, kMaxShown))};
  if (take_prefix(path, "store:")) return unusable("says that the store moved; change the source's place");
  const bool is_relative = take_prefix(path, "relpath:");
  if (!is_relative) static_cast<void>(take_prefix(path, "path:"));
  if (path.empty()) return unusable("names no path");
  if (auto mapped = map_path(map, path)) {
    if (mapped->below.empty()) return unusable("names no file");
    return PointsElsewhere{std::move(*mapped)};
  }
  const bool is_local = path.front() == '/' || path.front() == '\\';
  if (is_local || is_windows_path(path) || path.find("://") != std::string_view::npos)
    return unusable(fmt::format("leads to {}, and path_map says nothing of it", path.substr(0, kMaxShown)));
  return below_root(path, pointer);
}

std::vector<std::string> forms_of(const std::string& path) {
  std::vector<std::string> forms{path};
  if (path.empty() || path.back() == '_') return forms;
  forms.push_back(path);
  forms.back().back() = '_';
  return forms;
}

std::string pointer_beside(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/') + 1)) + std::string(kFilePointer);
}

}  // namespace symcached::sources
