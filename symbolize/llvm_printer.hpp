#pragma once
/// Answers byte by byte as the program llvm-symbolizer prints them, in each of its styles. `symcached lookup` has
/// simpler ones: render_llvm.hpp.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "symbolize/module.hpp"

namespace symcached::symbolize {

/// What was asked for, as far as the line could be read.
struct LlvmRequest {
  std::string_view module;
  std::optional<std::uint64_t> address;
  std::string_view symbol;  ///< empty: an address was asked for
};

struct LlvmStyle {
  enum class Format : std::uint8_t { llvm, gnu, json };
  Format format = Format::llvm;
  bool addresses = false;  ///< the address first; JSON always has it
  bool pretty = false;     ///< a frame in one line
  bool verbose = false;    ///< a line for each thing that is known
  bool functions = true;
  bool basenames = false;
  std::uint32_t source_lines = 0;  ///< around each line, from the file on this machine
};

/// Frames of one answer, or one place of a symbol.
struct LlvmFrames {
  std::span<const Frame> frames;  ///< innermost first; none: unknown
  std::optional<std::uint64_t> start;
  std::string_view unknown_function = "??";
  bool whole_paths = false;   ///< whatever the style says
  bool without_file = false;  ///< nobody could be asked: JSON then lists no frame, else an empty one
};

/// A variable. An empty name: unknown.
struct LlvmData {
  std::string_view name;
  std::uint64_t start = 0, size = 0;
  std::string_view file;  ///< where it is declared; empty = unknown
  std::uint32_t line = 0;
};

class LlvmPrinter {
 public:
  explicit LlvmPrinter(const LlvmStyle& style) : style_(style) {}

  // In JSON each appends one object without a line feed.
  void frames(const LlvmRequest& request, const LlvmFrames& found, std::string& out) const;
  /// The places of all symbols of one name, each of one frame.
  void places(const LlvmRequest& request, std::span<const LlvmFrames> found, std::string& out) const;
  void data(const LlvmRequest& request, const LlvmData& found, std::string& out) const;
  /// Local variables, of which we know none.
  void no_locals(const LlvmRequest& request, std::string& out) const;
  /// JSON alone has a word for it.
  void error(const LlvmRequest& request, std::string_view why, std::string& out) const;

  const LlvmStyle& style() const { return style_; }
  bool is_json() const { return style_.format == LlvmStyle::Format::json; }

 private:
  void header(const LlvmRequest& request, std::string& out) const;
  void footer(std::string& out) const;
  void text(const LlvmRequest& request, const LlvmFrames& found, std::string& out) const;
  void frame(const Frame& frame, bool is_caller, const LlvmFrames& found, std::string& out) const;
  void verbose(const Frame& frame, std::string_view file, const LlvmFrames& found, std::string& out) const;
  void json_frames(std::string_view key, std::span<const LlvmFrames> found, std::string& out) const;
  void json_frame(const Frame& frame, const LlvmFrames& found, std::string& out) const;
  std::string_view shown(std::string_view file, const LlvmFrames& found) const;
  std::string source_of(const Frame& frame) const;

  LlvmStyle style_;
};

}  // namespace symcached::symbolize
