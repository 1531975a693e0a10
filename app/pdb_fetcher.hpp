#pragma once
/// PDBs of .NET assemblies from symbol servers, for commands.
#include "fetch/file_fetcher.hpp"
#include "symbolize/open_module.hpp"

namespace symcached::app {

/// Asks by id. Sources and cache directory are opened when first needed.
symbolize::FetchPdb fetch_pdb_from(fetch::FetcherOptions servers);

}  // namespace symcached::app
