#include "app/commands.hpp"

#include "app/help.hpp"

namespace symcached::app {
namespace {

constexpr const char* kFooter = R"(Examples:
  symcached lookup app.pdb 0x1234            symbolize an address
  symcached serve --symbols /srv/symbols     serve symcaches of the PDBs there
Each command has more: symcached COMMAND --help

Exit status:
  0  success, also when an address has no symbol
  1  failure
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME                  where serve keeps its cache
  http_proxy, https_proxy, all_proxy, no_proxy
                                        for serve, fetch, symbolicate, lookup
  _NT_SYMCACHE_PATH                     where fetch keeps symcaches and asks
  TMPDIR                                where symbolicate keeps downloads)";

}  // namespace

void add_commands(CLI::App& app, int& status) {
  app.name("symcached");
  app.description(
      "Convert debug files to symcaches, look up addresses in either, and serve symcaches over HTTP. Reads PDB, ELF "
      "and Mach-O with DWARF, stripped Go programs, PE, WebAssembly, Breakpad, perf maps and .NET Portable PDBs.");
  app.footer(kFooter);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", "symcached " SYMCACHED_VERSION, "print the version and exit");
  app.require_subcommand(1);
  add_cache(app, status);
  add_cleanup(app, status);
  add_config(app, status);
  add_convert(app, status);
  add_fetch(app, status);
  add_inspect(app, status);
  add_lookup(app, status);
  add_serve(app, status);
  add_symbolicate(app, status);
  add_symcachegen(app, status);
}

}  // namespace symcached::app
