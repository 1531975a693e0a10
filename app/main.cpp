#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/worker.hpp"

namespace {

/// The arguments last to first, as CLI11 takes them. It does not know `-f=short`, which llvm-symbolizer's users write.
std::vector<std::string> reversed_arguments(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument.starts_with("-f=")) argument.replace(0, 2, "--functions");
  }
  return {arguments.rbegin(), arguments.rend()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == symcached::app::kWorkerCommand) return symcached::app::run_worker();
  CLI::App app{"symcached: the symbol service that profilers, crash reporters and debuggers ask"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "symcached " SYMCACHED_VERSION);
  int status = symcached::app::kDone;
  symcached::app::add_convert(app, status);
  symcached::app::add_inspect(app, status);
  symcached::app::add_lookup(app, status);
  symcached::app::add_serve(app, status);
  symcached::app::add_symbolicate(app, status);
  try {
    app.name(argv[0]);
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? symcached::app::kDone : symcached::app::kWrongUsage;
  } catch (const std::exception& error) {  // no memory, or a library that cannot be loaded
    std::fprintf(stderr, "symcached: %s\n", error.what());
    return symcached::app::kCouldNot;
  }
  return status;
}
