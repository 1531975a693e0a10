#pragma once
/// Where symcaches are kept and asked for, as WPA is told: _NT_SYMCACHE_PATH. The text comes from whoever reads the
/// environment or a command line.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sources/windows_path.hpp"

namespace symcached::wpt {

/// Asked in turn for what the directory does not have.
struct Alternate {
  std::string place;  ///< a folder, or http(s)://…, with credentials if it has some
  bool is_server = false;
  /// Alternates before it, all of them folders, that keep what is found here. The directory does so, too.
  std::vector<std::size_t> kept_in = {};
  bool operator==(const Alternate&) const = default;
};

struct SymcachePath {
  std::string directory;  ///< where symcaches are kept; empty: none is named
  std::vector<Alternate> alternates;
  std::vector<std::string> warnings;  ///< one line each about what is not usable, without credentials
};

inline constexpr std::size_t kMaxSymcachePath = 64 << 10;  ///< bytes; the rest is not read
inline constexpr std::size_t kMaxAlternates = 100;         ///< those behind it are left out

/// "C:\SymCache*https://host": elements separated by ';', each of one place or of several with '*' between them. The
/// first folder of all is the directory: it keeps what is found anywhere else. In "A*B*URL", A keeps what is found in B
/// or at URL, and B what is found at URL; a leading `srv*` or `symsrv*symsrv.dll*` in any case changes nothing in that.
/// Folders of "cache*A" keep what is found in all elements behind it, too. A folder alone keeps nothing. Empty places
/// are nothing; of one that is named twice the first counts.
/// @param map  what drives and shares lead to here; without a row they are warned of
SymcachePath parse_symcache_path(std::string_view text, const sources::PathMap& map = {});

}  // namespace symcached::wpt
