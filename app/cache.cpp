#include "app/cache_entries.hpp"
#include "app/commands.hpp"

namespace symcached::app {
namespace {

constexpr const char* kFooter = R"(The directory may be in use meanwhile: servers cope with entries that vanish.

Examples:
  symcached cache ls 'ntdll*' --sort size   what there is of ntdll
  symcached cache verify --repair           remove what is damaged
  symcached cache warm --symbols /srv/symbols modules.txt
Each command has more: symcached cache COMMAND --help

Exit status:
  0  success
  1  failure, or something damaged was found
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir)";

}  // namespace

void add_cache(CLI::App& app, int& status) {
  CLI::App* const cache =
      app.add_subcommand("cache", "Look into the cache of a server, check it, fill it, remove entries");
  cache->require_subcommand(1);
  cache->footer(kFooter);
  add_cache_add(*cache, status);
  add_cache_ls(*cache, status);
  add_cache_purge(*cache, status);
  add_cache_stat(*cache, status);
  add_cache_verify(*cache, status);
  add_cache_warm(*cache, status);
}

}  // namespace symcached::app
