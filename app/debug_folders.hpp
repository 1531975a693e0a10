#pragma once
/// Where commands look for further files: installed debug files, BCSymbolMaps.
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace symcached::app {

/// Declares --debug-dir.
void add_debug_folders(CLI::App& command, std::vector<std::string>& folders);
/// Declares --bcsymbolmap.
void add_symbol_maps(CLI::App& command, std::vector<std::string>& maps);

}  // namespace symcached::app
