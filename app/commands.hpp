#pragma once
/// The subcommands of the program, one file each. Each function declares its options and, when chosen, its run.
#include <CLI/CLI.hpp>

namespace symcached::app {

/// Exit status: what scripts see. Wrong usage is found by CLI11, and turned into 2 by main().
enum ExitStatus { kDone = 0, kCouldNot = 1, kWrongUsage = 2 };

/// All of them, and what `symcached --help` says. The subcommand that runs leaves its status in `status`, which lives
/// as long as `app`.
void add_commands(CLI::App& app, int& status);

void add_cache(CLI::App& app, int& status);
void add_cleanup(CLI::App& app, int& status);
void add_config(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_fetch(CLI::App& app, int& status);
void add_inspect(CLI::App& app, int& status);
void add_lookup(CLI::App& app, int& status);
void add_serve(CLI::App& app, int& status);
void add_symbolicate(CLI::App& app, int& status);
void add_symcachegen(CLI::App& app, int& status);

}  // namespace symcached::app
