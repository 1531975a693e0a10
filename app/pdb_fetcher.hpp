#pragma once
/// PDBs of .NET assemblies from symbol servers, for commands.
#include "fetch/file_fetcher.hpp"
#include "symbolize/open_module.hpp"

namespace symcached::app {

/// Asks by id.
/// @param open_now  sources and cache directory, so that it is known at once if they cannot be used; else when needed
/// @return or what is wrong with them
std::expected<symbolize::FetchPdb, std::string> fetch_pdb_from(fetch::FetcherOptions servers, bool open_now);

}  // namespace symcached::app
