#pragma once
/// Which dialect a line is written in.
#include <cstddef>
#include <optional>
#include <string_view>

#include "traces/dialect.hpp"
#include "traces/prefixes.hpp"
#include "traces/trace_state.hpp"

namespace symcached::traces {

/// Reads lines one after the other; what they say of modules and threads is kept in the state.
class DialectChooser {
 public:
  /// @param state  must outlive it
  explicit DialectChooser(TraceState& state) : state_(state) {}

  /// Appends the frames of a line, of which views are kept. The dialect that matched last is tried first.
  /// @return where in the line the trace's own text begins; nothing if there is no frame in it
  /// Cost: of a line of a known dialect, one scan; of others, two dozen that end at once.
  std::optional<std::size_t> read(std::string_view line, Frames& out);

 private:
  bool matches(const Dialect& dialect, std::string_view text, Frames& out);
  std::optional<std::size_t> choose(std::string_view text, Frames& out);
  void end_branch(std::size_t count, std::size_t depth, Frames& out);

  TraceState& state_;
  const Dialect* last_ = nullptr;
  std::size_t depth_ = 0;  ///< of the last line in a tree of callers
};

}  // namespace symcached::traces
