#include "app/commands.hpp"

int main(int argc, char** argv) {
  CLI::App app{"symcached: the symbol service that profilers, crash reporters and debuggers ask"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "symcached " SYMCACHED_VERSION);
  int status = symcached::app::kDone;
  symcached::app::add_convert(app, status);
  symcached::app::add_inspect(app, status);
  symcached::app::add_lookup(app, status);
  symcached::app::add_serve(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? symcached::app::kDone : symcached::app::kWrongUsage;
  }
  return status;
}
