#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/drop_in.hpp"
#include "app/worker.hpp"
#include "transcode/keeper.hpp"

namespace {

using namespace symcached::app;

/// CLI11 knows neither `-f=short`, which llvm-symbolizer's users write, nor `-pdb`, which symcachegen's do.
std::vector<std::string> with_long_names(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument == "-pdb") argument = "--pdb";
    if (argument.starts_with("-f=")) argument.replace(0, 2, "--functions");
  }
  return arguments;
}

int wrong_usage(const std::string& command, const std::string& what) {
  complain(command, what);
  std::fprintf(stderr, "For help: symcached %s%s--help\n", command.c_str(), command.empty() ? "" : " ");
  return kWrongUsage;
}

int run(CLI::App& app, const int& status, std::vector<std::string> arguments) {
  if (const std::string why = check_clusters(arguments); !why.empty()) return wrong_usage(arguments.front(), why);
  arguments = with_long_names(std::move(arguments));
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // last to first, as CLI11 takes them
  } catch (const CLI::Success& help) {
    return app.exit(help) == 0 ? kDone : kCouldNot;
  } catch (const CLI::ParseError& error) {
    return wrong_usage(command_of(app), usage_error(app, error));
  } catch (const std::exception& error) {  // no memory, or a library that cannot be loaded
    if (std::ferror(stdout) == 0) complain(command_of(app), error.what());
    return kCouldNot;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto program = argc > 0 ? drop_in_of(argv[0]) : std::nullopt)
    return run_drop_in(*program, {argv, argv + argc});
  if (argc == 2 && argv[1] == kWorkerCommand) return run_worker();
  if (argc > 1 && argv[1] == symcached::transcode::kKeeperCommand)
    return symcached::transcode::keep({argv + 2, argv + argc});
  CLI::App app;
  int status = kDone;
  add_commands(app, status);
  status = run(app, status, {argv + 1, argv + argc});
  return finish_output(command_of(app), status);
}
