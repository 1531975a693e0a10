#pragma once
/// Sources as debuggers and tools are told of them, in one line of text: _NT_SYMBOL_PATH, DEBUGINFOD_URLS.
/// The text comes from whoever reads the environment or a command line.
#include <string>
#include <string_view>
#include <vector>

#include "sources/source_config.hpp"
#include "sources/windows_path.hpp"

namespace symcached::sources {

struct SymbolPath {
  std::vector<SourceConfig> sources;  ///< in the order to ask, each place once
  /// Folders that debuggers copy what they find into, nearest first. They are sources, too.
  std::vector<std::string> caches;
  std::vector<std::string> warnings;  ///< one line each about what is not usable, without credentials
};

inline constexpr std::size_t kMaxSymbolPath = 64 << 10;  ///< bytes; the rest is not read
inline constexpr std::size_t kMaxPathSources = 100;      ///< those behind it are left out

/// "srv*C:\symbols*https://host/store;\\server\share;/home/me/symbols": elements separated by ';', from left to right.
/// `srv*`, `symsrv*symsrv.dll*` and `cache*` in any case. A store in a chain is a cache of those to its right. An empty
/// element or store stands for a debugger's default and is nothing here. Of plain folders any layout is found.
/// @param map  what drives and shares lead to here; without a row they are warned of
SymbolPath parse_symbol_path(std::string_view text, const PathMap& map = {});

/// URLs separated by blanks, each a debuginfod server; words that begin with "ima:" are skipped.
SymbolPath parse_debuginfod_urls(std::string_view text);

}  // namespace symcached::sources
