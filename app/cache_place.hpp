#pragma once
/// Which cache directory a command is about, and what is configured for it.
#include <CLI/CLI.hpp>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.hpp"

namespace symcached::app {

/// $XDG_CACHE_HOME/symcached, or ~/.cache/symcached; empty if neither variable is set.
std::filesystem::path default_cache_dir();

/// The one configured, or the default; or a sentence.
std::expected<std::filesystem::path, std::string> cache_dir_of(const config::Config& config);

/// caches.*, and of caches.retry what the cache directory goes by.
store::CacheLimits limits_of(const config::Config& config);

/// -c, --config: for commands that read the file, or the cache directory it names.
CLI::Option* add_config_option(CLI::App& command, std::filesystem::path& file);

/// As given on the command line.
struct CachePlace {
  std::string directory;
  std::filesystem::path config_file;
};
/// Declares --cache-dir and -c. `place` outlives the parsing.
void add_cache_place(CLI::App& command, CachePlace& place);

struct FoundCache {
  std::filesystem::path directory;
  config::Config config;
};
/// --cache-dir, or what the file says, or else the default; nothing, after a complaint, if there is none or the file
/// cannot be used.
std::optional<FoundCache> find_cache(std::string_view command, const CachePlace& place);

}  // namespace symcached::app
