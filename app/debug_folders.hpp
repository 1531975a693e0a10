#pragma once
/// Where commands look for installed debug files.
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace symcached::app {

/// Declares --debug-dir.
void add_debug_folders(CLI::App& command, std::vector<std::string>& folders);

}  // namespace symcached::app
