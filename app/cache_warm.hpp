#pragma once
/// `symcached cache warm`: which modules are to be fetched and converted ahead of time, and what became of them.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sources/module_ids.hpp"
#include "store/entry.hpp"

namespace symcached::app {

struct WarmOutcome {
  enum class Kind : std::uint8_t {
    there,    ///< it was in the cache already
    made,     ///< it is now
    missing,  ///< no source has it
    failed,   ///< it could not be fetched or converted
  };
  Kind kind = Kind::there;
  std::string why = {};                           ///< missing, failed: one line
  store::Quality quality = store::Quality::none;  ///< there, made
};

/// Puts what a module needs into the cache. Called from several threads at once; may wait.
using WarmOne = std::function<WarmOutcome(const sources::ModuleIds& module)>;

struct WarmOptions {
  std::vector<std::string> inputs =
      {};                ///< lists of modules, debug files and programs, directories of those; "-": stdin
  unsigned threads = 4;  ///< modules at once
  bool json = false;     ///< an object per module and line, on stdout
};

/// Options and arguments of the command; `options` outlives the parsing.
void add_warm_options(CLI::App& command, WarmOptions& options);

/// Warms every module of the inputs once, with a progress bar on a terminal, and prints those that are not there, the
/// totals, and how many there are of each quality.
/// @return ExitStatus: kDone if all are there, kCouldNot if some are not or an input cannot be read
int warm(const WarmOptions& options, const WarmOne& warm_one);

}  // namespace symcached::app
