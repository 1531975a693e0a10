#include "sources/filters.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace symcached::sources {
namespace {

char folded(char c) { return c == '\\' ? '/' : lower_ascii(c); }

/// Bytes of the character that `text` begins with: '?' stands for a character, not for half of one.
std::size_t first_size(std::string_view text) {
  std::size_t n = 1;
  while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) ++n;
  return n;
}

}  // namespace

bool matches_glob(std::string_view glob, std::string_view path) {
  // Behind a '*' the shortest text that lets the rest match up to the next '*' is as good as any longer one.
  std::size_t g = 0, p = 0, star = std::string_view::npos, behind_star = 0;
  while (p < path.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      behind_star = p;
    } else if (g < glob.size() && glob[g] == '?') {
      ++g;
      p += first_size(path.substr(p));
    } else if (g < glob.size() && folded(glob[g]) == folded(path[p])) {
      ++g;
      ++p;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      p = ++behind_star;
    } else {
      return false;
    }
  }
  return std::ranges::all_of(glob.substr(g), [](char c) { return c == '*'; });
}

bool passes(const Filters& filters, const FileRequest& request) {
  const ModuleIds& module = request.module;
  if (!filters.file_types.empty() && std::ranges::find(filters.file_types, request.type) == filters.file_types.end())
    return false;
  if (filters.requires_checksum && module.checksums.empty()) return false;
  const auto fits = [&](const std::string& glob) {
    return (!module.code_file.empty() && matches_glob(glob, module.code_file)) ||
           (!module.debug_file.empty() && matches_glob(glob, module.debug_file));
  };
  return filters.path_patterns.empty() || std::ranges::any_of(filters.path_patterns, fits);
}

}  // namespace symcached::sources
