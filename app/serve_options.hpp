#pragma once
/// What `symcached serve` takes on the command line.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load.hpp"

namespace symcached::app {

struct ServeOptions {
  std::filesystem::path config_file;                             ///< empty: none
  std::vector<std::string> symbols;                              ///< used instead of the sources of the file
  std::string debuginfod;                                        ///< the same
  std::vector<std::pair<std::string_view, std::string>> values;  ///< keys of the configuration, with their texts
};

/// Adds all of them, with help and checks. `options` outlives the parsing.
void add_serve_options(CLI::App& command, ServeOptions& options);

/// -c, --config: for commands that read the file, or the cache directory it names.
CLI::Option* add_config_option(CLI::App& command, std::filesystem::path& file);

/// The defaults, the environment, the file, and over them the options.
config::Loaded load_config(const ServeOptions& options);

/// $XDG_CACHE_HOME/symcached, or ~/.cache/symcached; empty if neither variable is set.
std::filesystem::path default_cache_dir();

}  // namespace symcached::app
