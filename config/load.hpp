#pragma once
/// From a file to a Config.
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/environment.hpp"
#include "config/report.hpp"

namespace symcached::config {

struct Loaded {
  Config config;  ///< of use only without errors
  Report report;
};

/// The defaults, then the environment, then the text. All that is wrong is reported at once.
Loaded parse(std::string_view yaml, const Environment& environment);

/// parse() of a file. @param path  empty: no file, so the defaults and the environment alone
Loaded load(const std::filesystem::path& path, const Environment& environment);

/// Sets one key to what a file would have as a scalar. @return what is wrong with it; empty if nothing is
std::string assign(Config& config, std::string_view key, const std::string& text);

/// What a file would have for each of `keys`, on one line.
std::vector<std::string> texts_of(Config config, std::span<const std::string_view> keys);

/// A line for each problem: "symcached.yml:12: error: caches.max_sise: unknown key".
std::vector<std::string> error_lines(const Report& report, const std::filesystem::path& path);
std::vector<std::string> warning_lines(const Report& report, const std::filesystem::path& path);

}  // namespace symcached::config
