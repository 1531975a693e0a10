#include "app/cache_place.hpp"

#include <cstdlib>
#include <utility>

#include "app/command_line.hpp"
#include "config/load.hpp"

namespace symcached::app {

std::filesystem::path default_cache_dir() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (const auto base = variable("XDG_CACHE_HOME"); base.is_absolute()) return base / "symcached";
  if (const auto home = variable("HOME"); !home.empty()) return home / ".cache" / "symcached";
  return {};
}

std::expected<std::filesystem::path, std::string> cache_dir_of(const config::Config& config) {
  if (!config.cache_dir.empty()) return config.cache_dir;
  auto preset = default_cache_dir();
  if (preset.empty()) return std::unexpected("neither XDG_CACHE_HOME nor HOME is set; give --cache-dir");
  return preset;
}

store::CacheLimits limits_of(const config::Config& config) {
  store::CacheLimits limits = config.caches;
  limits.max_absent_for = config.service.retry.absent;
  return limits;
}

CLI::Option* add_config_option(CLI::App& command, std::filesystem::path& file) {
  return command.add_option("-c,--config", file, "configuration file (docs/configuration.md); options override it")
      ->type_name("FILE");
}

void add_cache_place(CLI::App& command, CachePlace& place) {
  command
      .add_option("--cache-dir", place.directory,
                  "cache directory [default: $XDG_CACHE_HOME/symcached, or ~/.cache/symcached]")
      ->type_name("DIR");
  add_config_option(command, place.config_file);
}

std::optional<FoundCache> find_cache(std::string_view command, const CachePlace& place) {
  config::Loaded loaded = config::load(place.config_file, config::of_process);
  for (const std::string& line : config::error_lines(loaded.report, place.config_file)) complain(command, line);
  if (!loaded.report.errors().empty()) return std::nullopt;
  if (!place.directory.empty()) loaded.config.cache_dir = place.directory;
  auto directory = cache_dir_of(loaded.config);
  if (directory) return FoundCache{std::move(*directory), std::move(loaded.config)};
  complain(command, directory.error());
  return std::nullopt;
}

}  // namespace symcached::app
