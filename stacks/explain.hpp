#pragma once
/// Why frames have no name, or no line, and what would help: in sentences, the same for whoever looked for the files.
/// Pure. docs/protocols/symbolicator.md
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sources/module_ids.hpp"
#include "stacks/candidates.hpp"

namespace symcached::stacks {

enum class Trouble : std::uint8_t {
  // There is no module.
  no_module,       ///< none covers the address
  no_such_module,  ///< the frame names one that is not there
  no_map,          ///< an address of a process, and nothing tells where its modules lay
  // There is no file of the module.
  other_type,  ///< nobody has files of such modules
  no_id,       ///< what it is called is not enough
  no_file,     ///< what was asked says why
  of_windows,  ///< a Windows PDB for .NET
  several,     ///< files of several builds have its name
  own_fault,   ///< not the files' nor the sources'
  // There is a file.
  not_reached,   ///< no absolute address leads into a module at 0
  outside,       ///< it has no function at the address
  other_size,    ///< it has functions of that name, which are larger or smaller
  no_method,     ///< of .NET: the frame does not say which
  no_il_offset,  ///< of .NET: the PDB has no line of the method there
  no_name,       ///< it has a line there, and no function
  names_only,    ///< it has no lines at all
  no_line,       ///< it has none of the address
};

/// A module that left frames without names or lines.
struct Looked {
  Trouble trouble = Trouble::no_module;
  sources::ModuleIds ids = {};
  std::span<const CandidateInfo> asked = {};  ///< where its files were looked for, and what came back
  std::string_view why = {};                  ///< where none of them says it: what was wrong
  std::optional<WallTime> retry_at = {};      ///< it is looked for again then
  bool is_local = false;                      ///< by a command, in what --symbols names
};

struct Advice {
  std::string reason;  ///< one sentence
  std::string fix;     ///< what would make it work
};

/// Of a module as a text names it, for commands.
struct ModuleExplanation {
  std::string module;        ///< as the text has it, unchecked; empty: it does not say
  std::uint64_t frames = 0;  ///< places that were asked about; 0: not known
  Advice advice = {};
  std::vector<CandidateInfo> asked = {};
};

/// Names are told as far as people read them, and nothing else of what is secret to sources.
/// @param now  for "in 58 s"
Advice advice_on(const Looked& module, WallTime now);

/// Whether the files of the module are what is missing, so that it is worth saying which were asked for.
bool is_about_files(Trouble trouble);

/// "not found", "refused": what came back from a place.
std::string_view text_of(DownloadStatus status);

/// Whole seconds until then, at least 1.
std::chrono::seconds seconds_until(WallTime then, WallTime now);

}  // namespace symcached::stacks
