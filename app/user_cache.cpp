#include "app/user_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <utility>
#include <vector>

#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "base/quantity.hpp"

namespace symcached::app {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

/// Of the command that adds a file.
std::vector<std::string> arguments_of(const UserCacheChoice& choice, const symbolize::FarPlaces& far) {
  std::vector<std::string> arguments{"symcached", "cache", "add", "--behind"};
  for (const std::string& folder : far.debug_folders) arguments.push_back("--debug-dir=" + folder);
  for (const std::string& map : far.symbol_maps) arguments.push_back("--bcsymbolmap=" + map);
  if (!choice.max_size.empty()) arguments.push_back("--cache-size=" + choice.max_size);
  return arguments;
}

/// Runs this program with other arguments, in a session of its own and without anything that we have open: whoever
/// waits for our output to end does not wait for that. Nobody is told how it went.
void start_behind(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  if (::posix_spawn_file_actions_init(&files) != 0) return;
  if (::posix_spawnattr_init(&how) == 0) {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
    ::pid_t child = 0;
    ::posix_spawn(&child, "/proc/self/exe", &files, &how, argv.data(), environ);
    ::posix_spawnattr_destroy(&how);
  }
  ::posix_spawn_file_actions_destroy(&files);
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

std::unique_ptr<symbolize::UserCache> open_user_cache(const UserCacheChoice& choice, const symbolize::FarPlaces& far) {
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
  options.fill_behind = [arguments = arguments_of(choice, far)](const std::filesystem::path& file) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--", file.string()});
    start_behind(std::move(all));
  };
  return std::make_unique<symbolize::UserCache>(std::move(options));
}

}  // namespace symcached::app
