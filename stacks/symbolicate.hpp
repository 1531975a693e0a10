#pragma once
/// Answers stack traces from modules that were found, one frame after the other.
/// Spec: docs/protocols/symbolicator.md.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stacks/candidates.hpp"
#include "stacks/module_map.hpp"
#include "stacks/request.hpp"
#include "symbolize/demangled_names.hpp"
#include "symbolize/module.hpp"

namespace symcached::stacks {

/// What became of a module.
enum class ModuleStatus : std::uint8_t {
  found,
  unused,  ///< no frame leads into it
  missing,
  malformed,
  fetching_failed,
  timeout,
  unsupported,  ///< such files are not read: a Windows PDB for .NET
  other,        ///< a fault of our own
  fetching,     ///< in answers that are not complete: looked for, or converted
};
std::string_view name_of(ModuleStatus status);
/// By status.
using ModuleCounts = std::array<std::uint64_t, static_cast<std::size_t>(ModuleStatus::fetching) + 1>;

enum class FrameStatus : std::uint8_t {
  symbolicated,
  missing_symbol,  ///< the module says nothing of the place
  unknown_image,   ///< no module covers the address
  missing,         ///< the module could not be had
  malformed,       ///< its files could not be used
  pending,         ///< in answers that are not complete: its module is not there yet
};
std::string_view name_of(FrameStatus status);
/// By status.
using FrameCounts = std::array<std::uint64_t, static_cast<std::size_t>(FrameStatus::pending) + 1>;

/// A module of the request, once it was looked for.
struct ModuleState {
  ModuleStatus status = ModuleStatus::unused;
  const symbolize::Module* module = nullptr;  ///< of `found`; must outlive the answer
  Features features = {};
  std::optional<ModuleStatus> unwind_status = {};  ///< only where stacks were walked, too
  std::vector<CandidateInfo> candidates = {};      ///< tidy()
  std::string why = {};                            ///< it was not had, where no candidate says it; nothing secret in it
  std::optional<WallTime> retry_at = {};           ///< it is looked for again then
  bool has_ids = true;                             ///< false: they name no file; `why` says what they lack

  /// As the protocol names it: "x86_64"; "unknown" of .NET, and of what was not found.
  std::string_view arch() const;
};

/// More than Symbolicator tells, for those who ask for it (Options::extended).
struct FrameDetails {
  std::uint64_t original_instruction_addr = 0;   ///< absolute where that is known, not stepped back to the call
  std::optional<std::uint64_t> function_offset;  ///< of the address that was looked up; these two of native code,
  std::optional<std::uint32_t> function_size;    ///< outermost frame only; bytes
  std::uint32_t column = 0;                      ///< 1-based; 0 = unknown
  std::span<const std::string_view> aliases;     ///< other names of the function: identical code, folded by the linker
  /// "line": debug information has the place. "function": it has the function. "symbol": the nearest name before, of a
  /// symbol table; code without a name may be taken for its.
  std::string_view confidence;
};

/// A frame of the answer. All of it lives until the sink returns.
struct OutFrame {
  FrameStatus status = FrameStatus::unknown_image;
  std::uint32_t original_index = 0;     ///< in the request; inlined calls have that of their caller
  std::optional<std::uint32_t> module;  ///< index in the request
  Frame frame;
  std::string_view path;                  ///< abs_path as the compiler recorded it, of symbolicated frames
  const FrameDetails* details = nullptr;  ///< null: not asked for, or not symbolicated
};

/// Takes an answer in the order in which it is sent.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void begin_stack(const Stack& stack) = 0;
  virtual void frame(const OutFrame& frame) = 0;
  virtual void end_stack() = 0;
  /// True: it takes no more, and is not asked to. A short request may have a long answer.
  virtual bool is_full() const { return false; }
};

/// Memory for answers, used again and again: names that were demangled stay, up to DemangledNames::kKept. One per
/// thread.
struct Scratch {
  symcache::FrameBuffer frames, alias_texts;
  symbolize::DemangledNames names;
  std::vector<std::string_view> aliases;
  std::string method, path;
};
/// For all requests that this thread works on; not across a co_await.
Scratch& thread_scratch();

/// @param modules  of the request
/// @param states   one for each module of the request
/// Frames that a scan of the stack found and that lead nowhere are left out, and one that leads nowhere behind the
/// first function of a process (`_start`): `original_index` shows the gap.
/// Cost: about half a microsecond a frame of the answer; nothing is allocated once `scratch` has grown.
void symbolicate(const Request& request, const ModuleMap& modules, std::span<const ModuleState> states,
                 Scratch& scratch, FrameSink& sink);

}  // namespace symcached::stacks
