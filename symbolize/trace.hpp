#pragma once
/// Stack traces in text: lines that name a place in a module, each in one of the ways listed here.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "symbolize/module.hpp"

namespace symcached::symbolize {

/// A line that names a place. Views into the line.
struct TraceFrame {
  std::string_view before;  ///< up to the module: "   at App.Main() in "
  std::string_view module;  ///< as the trace names it: "app.dll"
  std::string_view after;   ///< behind the place: blanks, a carriage return
  Place place;
  bool is_known = true;  ///< false: the place is in code that no debug file speaks of
};

/// One way of writing frames.
struct TraceDialect {
  std::string_view name;
  /// @param line  without its newline  @return nothing for a line that is no such frame
  std::optional<TraceFrame> (*parse)(std::string_view line);
  /// The line as it would read if whoever wrote it had known the frame.
  void (*append_text)(const TraceFrame& frame, const Frame& known, std::string& out);
  /// An object of what the line says, and of what is known; `known` is null if nothing is.
  void (*append_json)(const TraceFrame& frame, const Frame* known, std::string& out);
};

/// All of them; of those that take a line, the first counts.
std::span<const TraceDialect> trace_dialects();

/// @return null: there is no such module
using FindModule = std::function<const Module*(std::string_view name)>;

/// Resolves one line after the other.
class TraceResolver {
 public:
  explicit TraceResolver(FindModule find_module) : find_module_(std::move(find_module)) {}

  /// Appends the line, with the file and the line of its frame if they are known. Adds no newline.
  void append_text(std::string_view line, std::string& out);
  /// Appends an object. @return false: the line is no frame, and nothing was appended
  bool append_json(std::string_view line, std::string& out);

 private:
  const Frame* ask(const TraceFrame& frame);

  FindModule find_module_;
  Answer answer_;
};

}  // namespace symcached::symbolize
