#include "config/print.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/doors.hpp"
#include "base/utf8.hpp"
#include "config/load.hpp"

namespace symcached::app {
namespace {

constexpr const char* kFooter = R"(docs/configuration.md describes the file.

Examples:
  symcached config check /etc/symcached.yml
  symcached config print > symcached.yml       all keys with their defaults
  symcached config print /etc/symcached.yml    what the server goes by

Exit status:
  0  the file can be used
  1  it cannot; every error is printed
  2  wrong usage

Environment:
  variables that the file names as ${NAME}; SymCacheDirectory, SymbolServer,
  TranscoderPath and TranscoderVersion as `symcached serve` reads them)";

/// stderr, a line each.
void say(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print(stderr, "{}\n", escaped(line));
}

enum class Action : int { check, print };

struct ConfigOptions {
  Action action = Action::check;
  std::string file;
  bool keys = false;
};

int run(const ConfigOptions& options) {
  if (options.action == Action::check && options.file.empty()) {
    complain("config", "no FILE given to check");
    return kWrongUsage;
  }
  if (options.keys) {
    fmt::print("{}\n{}", config::table_of_keys(), config::table_of_source_keys());
    return kDone;
  }
  const config::Loaded loaded = config::load(options.file, config::of_process);
  say(config::error_lines(loaded.report, options.file));
  say(config::warning_lines(loaded.report, options.file));
  if (!loaded.report.errors().empty()) return kCouldNot;
  if (options.action == Action::check)
    if (const auto doors = open_doors(loaded.config, [](Severity, const std::string&) {}); !doors) {
      say({fmt::format("{}: error: {}", options.file, doors.error())});
      return kCouldNot;
    }
  if (options.action == Action::print) fmt::print("{}", config::print(loaded.config));
  else fmt::print("{}: no errors, warnings: {}\n", escaped(options.file), loaded.report.warnings().size());
  return kDone;
}

}  // namespace

void add_config(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("config", "Check a configuration file of serve, or print it with its defaults");
  const auto options = std::make_shared<ConfigOptions>();
  command
      ->add_option(
          "ACTION", options->action,
          "check: say everything that is wrong with FILE; print: all keys with values and comments, secrets as "
          "***")
      ->transform(one_of({{"check", 0}, {"print", 1}}))
      ->required();
  command->add_option("FILE", options->file, "configuration file; print without it prints the defaults");
  command->add_flag("--keys", options->keys, "print a table of all keys instead, as Markdown");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
