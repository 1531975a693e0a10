#pragma once
/// A list of modules as other tools print it, or as people write it: docs/module-lists.md.
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "sources/module_ids.hpp"

namespace symcached::sources {

inline constexpr std::size_t kMaxModuleList = std::size_t{64} << 20;  ///< bytes of text
inline constexpr std::size_t kMaxModules = 1'000'000;
inline constexpr std::size_t kMostQuoted = 3;   ///< unknown lines that are kept
inline constexpr std::size_t kMaxQuoted = 120;  ///< bytes of each

struct ModuleList {
  std::vector<ModuleIds> modules = {};          ///< in the order of the text, each once
  std::size_t unknown = 0;                      ///< lines, or members of a JSON array, that are no modules
  std::vector<std::string> first_unknown = {};  ///< at most kMostQuoted of them, cut, with whatever bytes they have
};

/// Reads JSON (an array of modules, or an object with `modules` or `debug_meta.images`) if the text begins with one,
/// otherwise lines, each in a dialect of its own. UTF-8, or UTF-16 with a byte order mark, which PowerShell writes.
/// @return the list, or a sentence: too long, too many modules, no JSON
/// Cost: one pass over lines; JSON takes memory of several times the text.
std::expected<ModuleList, std::string> parse_module_list(std::string_view text);

}  // namespace symcached::sources
