#pragma once
/// The words that search paths of Windows tools consist of: _NT_SYMBOL_PATH, _NT_SYMCACHE_PATH.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/windows_path.hpp"

namespace symcached::sources {

/// At every one of `separators`, without blanks around the parts. An empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, std::string_view separators);

bool has_scheme(std::string_view text, std::string_view scheme);  ///< in any case; `scheme` in lower case
bool is_http(std::string_view text);                              ///< or https

/// A URL without user and password, for names and warnings.
std::string without_credentials(std::string_view text);

/// A folder here, or a URL; or why a word is neither.
struct Word {
  std::string place;
  std::string_view fault;  ///< empty: it is usable
};
/// @param map  what drives and shares lead to here
Word place_of(std::string_view word, const PathMap& map);

}  // namespace symcached::sources
