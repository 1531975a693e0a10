#pragma once
/// Debug files from symbol servers and symbol stores, for commands that symbolize.
#include "fetch/file_fetcher.hpp"
#include "symbolize/open_module.hpp"
#include "traces/local/local_frames.hpp"

namespace symcached::app {

/// Both ask by id, of the same servers.
struct SymbolServers {
  symbolize::FetchPdb pdb;  ///< of .NET assemblies
  traces::FetchFile file;   ///< of native modules
};

/// @param open_now  sources and cache directory, so that it is known at once if they cannot be used; else when needed
/// @return or what is wrong with them
std::expected<SymbolServers, std::string> symbol_servers(fetch::FetcherOptions servers, bool open_now);

}  // namespace symcached::app
