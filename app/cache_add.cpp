#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "app/cache_entries.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/debug_folders.hpp"
#include "app/user_cache.hpp"
#include "base/threads.hpp"
#include "symbolize/open_module.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kCommand = "cache add";

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> debug_folders{symbolize::kDebugFolder}, symbol_maps;
  UserCacheChoice cache;
  bool is_behind = false;
};

/// Of processor and disk what nobody else wants.
void stand_back() {
  constexpr int kLowest = 19, kOfProcess = 1, kIdle = 3 << 13;  // IOPRIO_WHO_PROCESS; IOPRIO_CLASS_IDLE, shifted
  ::setpriority(PRIO_PROCESS, 0, kLowest);
  ::syscall(SYS_ioprio_set, kOfProcess, 0, kIdle);
}

/// @return whether the cache has it now, or somebody else is making it
bool add(const std::string& file, const Options& options, symbolize::UserCache& cache) {
  const symbolize::FarPlaces far{options.debug_folders, options.symbol_maps};
  const auto mapped = MappedFile::open(symbolize::debug_file_in(file));
  if (!mapped) {
    complain(kCommand, mapped.error());
    return false;
  }
  const auto key = symbolize::file_key_of(symbolize::debug_file_in(file), mapped->bytes(), far);
  const auto lock = cache.try_lock(key);
  if (!lock && options.is_behind) return true;
  const auto opened = symbolize::OpenedModule::open(
      file, {.far = far, .threads = options.is_behind ? 1 : hardware_threads(), .cache = &cache});
  if (!opened) complain(kCommand, opened.error());
  else
    for (const std::string& warning : opened->warnings()) complain(kCommand, "warning: " + warning);
  return opened.has_value();
}

int run(const Options& options) {
  if (options.is_behind) stand_back();
  const auto cache = open_user_cache(options.cache);
  if (cache == nullptr) {
    complain(kCommand, "no cache: it is turned off, or neither XDG_CACHE_HOME nor HOME is set");
    return kCouldNot;
  }
  bool all = true;
  for (const std::string& file : options.files) all = add(file, options, *cache) && all;
  return all ? kDone : kCouldNot;
}

constexpr const char* kFooter = R"(lookup and symbolicate then answer from the cache in milliseconds. They add
files of 1 MiB or more themselves; smaller ones are not kept.
docs/lookup-cache.md says when an entry counts.

Examples:
  symcached cache add build/app build/libcore.so
  symcached cache add /usr/lib/debug/boot/vmlinux-6.1.0-56-amd64

Exit status:
  0  each file is in the cache, or too small for it
  1  a file could not be converted, or there is no cache
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  where the cache is: in symcached there
  SYMCACHED_CACHE_SIZE  limit of the cache, unless --cache-size is given)";

}  // namespace

void add_cache_add(CLI::App& cache, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = cache.add_subcommand("add", "Convert files ahead of time for lookup and symbolicate");
  command->add_option("FILE", options->files, "debug file or program")->required();
  add_debug_folders(*command, options->debug_folders);
  add_symbol_maps(*command, options->symbol_maps);
  add_user_cache_options(*command, options->cache);
  command->add_flag("--behind", options->is_behind, "at the lowest priority, and not what another process is adding");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
