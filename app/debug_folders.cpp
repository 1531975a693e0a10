#include "app/debug_folders.hpp"

#include <CLI/CLI.hpp>

namespace symcached::app {

void add_debug_folders(CLI::App& command, std::vector<std::string>& folders) {
  command.add_option("--debug-dir,--debug-folder", folders, "directory searched for separate debug files; repeatable")
      ->type_name("DIR")
      ->capture_default_str()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace symcached::app
