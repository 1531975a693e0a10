#include "app/debug_folders.hpp"

#include <CLI/CLI.hpp>

namespace symcached::app {

void add_debug_folders(CLI::App& command, std::vector<std::string>& folders) {
  command.add_option("--debug-dir,--debug-folder", folders, "directory searched for separate debug files; repeatable")
      ->type_name("DIR")
      ->capture_default_str()
      ->expected(1)
      ->allow_extra_args(false)  // what follows is an argument of its own
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_symbol_maps(CLI::App& command, std::vector<std::string>& maps) {
  command
      .add_option(
          "--bcsymbolmap", maps,
          "names that a bitcode build hid; of a file named by a UUID, such as Xcode's, those of that UUID alone; "
          "repeatable [default: searched around the file, as Xcode's archives have them]")
      ->type_name("FILE")
      ->check(CLI::ExistingFile)
      ->expected(1)
      ->allow_extra_args(false)  // what follows is an argument of its own
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace symcached::app
