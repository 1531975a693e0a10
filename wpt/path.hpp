#pragma once
/// Where symcaches are kept and asked for, as WPA is told: _NT_SYMCACHE_PATH. The text comes from whoever reads the
/// environment or a command line.
#include <string>
#include <string_view>
#include <vector>

#include "sources/windows_path.hpp"

namespace symcached::wpt {

/// Asked in turn for what the directory does not have.
struct Alternate {
  std::string place;  ///< a folder, or http(s)://…, with credentials if it has some
  bool is_server = false;
  bool operator==(const Alternate&) const = default;
};

struct SymcachePath {
  std::string directory;  ///< where symcaches are kept; empty: none is named
  std::vector<Alternate> alternates;
  std::vector<std::string> warnings;  ///< one line each about what is not usable, without credentials
};

inline constexpr std::size_t kMaxSymcachePath = 64 << 10;  ///< bytes; the rest is not read
inline constexpr std::size_t kMaxAlternates = 100;         ///< those behind it are left out

/// "C:\SymCache*https://host": places separated by '*' or ';', the first folder is where symcaches are kept. A leading
/// `srv*` or `cache*` in any case is taken for what it would be in a symbol path: nothing more than the places behind.
/// Empty places are nothing.
/// @param map  what drives and shares lead to here; without a row they are warned of
SymcachePath parse_symcache_path(std::string_view text, const sources::PathMap& map = {});

}  // namespace symcached::wpt
