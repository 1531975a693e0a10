#pragma once
/// The file that gives a Mach-O file back the names that a bitcode build hid, from the sources. Private to `service/`.
#include <optional>
#include <span>
#include <string>

#include "net/task.hpp"
#include "service/converter.hpp"
#include "service/file_parts.hpp"
#include "service/originals.hpp"

namespace symcached::service {

class HiddenNames {
 public:
  struct Found {
    bool are_hidden = false;              ///< the file has such names
    std::optional<FurtherFile> map = {};  ///< its BCSymbolMap, if a source has it
    bool is_private = false;              ///< the map is from a source that not everybody may see
  };

  /// `originals` outlives it.
  HiddenNames(Originals& originals, RunJob run, LimitRules limits)
      : originals_(originals), run_(std::move(run)), limits_(limits) {}

  /// Asks the sources for files with hidden names alone: for the list with the UUID of the BCSymbolMap (file type
  /// `uuidmap`), then for the map (`bcsymbolmap`); without a list for the map by the UUID of the file itself.
  /// @param file    the Mach-O file; `extent` is the part of it that counts
  /// @param scope   whose request it is
  /// Cost: a job of a worker, which looks through the symbol table.
  Task<Found> find(worker::Input file, Extent extent, std::string scope, SharedSources sources);

 private:
  struct Fetched {
    FurtherFile file;
    bool is_private;
  };
  Task<NeededMaps> needed(worker::Input file, Extent extent, std::optional<FurtherFile> list);
  Task<std::optional<Fetched>> fetch(sources::FileType type, Guid uuid, std::string scope, SharedSources sources);

  Originals& originals_;
  const RunJob run_;
  const LimitRules limits_;
};

}  // namespace symcached::service
