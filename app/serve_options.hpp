#pragma once
/// What `symcached serve` takes on the command line, and `symcached cache warm` of it.
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

/// The configuration file, the cache directory and the sources, with help and checks. `options` outlives the parsing.
void add_source_options(CLI::App& command, ServeOptions& options);
/// All of them.
void add_serve_options(CLI::App& command, ServeOptions& options);

/// The defaults, the environment, the file, and over them the options.
config::Loaded load_config(const ServeOptions& options);

}  // namespace symcached::app
