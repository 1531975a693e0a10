#include "app/user_cache.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "base/quantity.hpp"

namespace symcached::app {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

void add_user_cache_options(CLI::App& command, UserCacheChoice& choice) {
  CLI::Option* const off = command.add_flag("--no-cache", choice.is_off,
                                            "neither use nor fill the cache of converted files in ~/.cache/symcached");
  command
      .add_option("--cache-size", choice.max_size,
                  "limit of that cache; what is least worth keeping goes first [default: 2GiB]")
      ->type_name("SIZE")
      ->check([](const std::string& text) {
        const auto size = parse_size(text);
        return size ? std::string() : size.error();
      })
      ->excludes(off);
}

std::unique_ptr<symbolize::UserCache> open_user_cache(const UserCacheChoice& choice) {
  symbolize::UserCacheOptions options{.directory = default_cache_dir()};
  if (choice.is_off || !environment("SYMCACHED_NO_CACHE").empty() || options.directory.empty()) return nullptr;
  const std::string size = choice.max_size.empty() ? environment("SYMCACHED_CACHE_SIZE") : choice.max_size;
  if (!size.empty()) {
    const auto bytes = parse_size(size);
    if (!bytes) {
      complain("symcached", fmt::format("warning: SYMCACHED_CACHE_SIZE: {}; no cache is used", bytes.error()));
      return nullptr;
    }
    options.max_size = *bytes;
  }
  return std::make_unique<symbolize::UserCache>(std::move(options));
}

}  // namespace symcached::app
