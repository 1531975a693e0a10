#pragma once
/// Stack traces that somebody wants named, with the modules that their addresses lie in.
/// The words, and what is not said here, are those of Symbolicator's protocol: docs/protocols/symbolicator.md.
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/module_ids.hpp"
#include "sources/module_type.hpp"

namespace symcached::stacks {

/// How a frame was found by whoever walked the stack, the worst first.
enum class Trust : std::uint8_t { none, scan, cfi_scan, frame_pointer, cfi, prewalked, context };
std::string_view name_of(Trust trust);
std::optional<Trust> parse_trust(std::string_view name);

/// A frame as it is asked for, and as it is answered. Texts that are empty are not known, but for context_line.
struct Frame {
  std::string_view platform;
  std::optional<std::uint64_t> relative_to;  ///< index of the module that the address is an offset in; else absolute
  std::uint64_t instruction_addr = 0;        ///< of .NET the offset in the method's IL, in either mode
  std::optional<bool>
      adjust_instruction_addr;               ///< whether it is a return address; nothing: it depends, see call_address
  std::optional<std::uint64_t> function_id;  ///< of .NET: row of the method
  std::string_view package;
  std::string_view lang;
  std::string_view symbol;  ///< as the linker has it
  std::optional<std::uint64_t> sym_addr;
  std::string_view function;  ///< as people read it
  std::string_view filename;  ///< the last part of abs_path
  std::string_view abs_path;
  std::optional<std::uint32_t> lineno;                         ///< 1-based; 0: a function is known and no line
  const std::vector<std::string_view>* pre_context = nullptr;  ///< lines before the frame's; null: none
  std::optional<std::string_view> context_line;
  const std::vector<std::string_view>* post_context = nullptr;
  std::string_view source_link;
  std::optional<bool> in_app;
  Trust trust = Trust::none;
};

struct Register {
  std::string_view name;
  std::uint64_t value = 0;
};

struct Stack {
  std::optional<std::uint64_t> thread_id;
  std::string_view thread_name;
  std::optional<bool> is_requesting;
  bool has_registers = false;
  std::vector<Register> registers;  ///< of the innermost frame, by name
  std::vector<Frame> frames;        ///< in the order of Options::caller_first
};

struct ModuleInfo {
  std::optional<sources::ModuleType> type;  ///< nothing: another one
  sources::ModuleIds ids;                   ///< file names as recorded, ids in one spelling; what was no id is empty
  std::string_view debug_checksum;          ///< as recorded
  std::uint64_t image_addr = 0;             ///< 0: absolute addresses do not lead into it
  std::optional<std::uint64_t> image_size;  ///< bytes; see ModuleMap::size

  bool is_managed() const { return type == sources::ModuleType::pe_dotnet; }
};

struct Options {
  bool dif_candidates = false;       ///< tell what was looked for
  bool apply_source_context = true;  ///< with the lines of source around a frame
  bool caller_first = false;         ///< the outermost frame of a stack comes first, in request and answer
  bool fetch_sources = true;         ///< `scraping.enabled`: sources may be fetched from where a module says they are
  /// Ours: frames also have `function_offset`, `function_size`, `original_instruction_addr`, `colno`, `aliases` and
  /// `confidence` (FrameDetails).
  bool extended = false;
  /// Ours: modules that left frames without a name or a line are explained (explain.hpp).
  bool explain = false;
};

/// With what texts are fetched from where a module says they are.
struct Scraping {
  std::vector<std::string_view> allowed_origins;                       ///< that get the headers
  std::vector<std::pair<std::string_view, std::string_view>> headers;  ///< each one line
};

/// Moves, and is not copied: everything in it may be a view of `memory`.
struct Request {
  Request() = default;
  Request(Request&&) = default;
  Request& operator=(Request&&) = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() = default;

  std::string_view platform;
  std::optional<std::uint32_t> signal;  ///< POSIX number
  std::vector<Stack> stacks;
  std::vector<ModuleInfo> modules;
  Options options;
  Scraping scraping;

  std::deque<std::vector<std::string_view>> lists;  ///< for pre_context and post_context
  std::shared_ptr<const void> memory;               ///< what the views are of
};

}  // namespace symcached::stacks
