#pragma once
/// Lines of a trace as they are printed once their frames are known.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "traces/dialect.hpp"

namespace symcached::traces {

/// A frame with what was asked and answered.
struct AnsweredFrame {
  const Frame* frame = nullptr;
  const FrameQuestion* question = nullptr;
  const Resolved* answer = nullptr;  ///< null: it was not asked about
};

struct AnsweredLine {
  std::string_view line;         ///< without its newline
  std::string_view newline;      ///< empty: the text ends with this line
  std::size_t start = 0;         ///< where the trace's own text begins
  std::uint64_t number = 0;      ///< of the line in the text, 1-based
  std::string_view thread = {};  ///< empty: the text does not say
  std::span<const AnsweredFrame> frames = {};
};

/// The line with its newline, and lines for inlined calls. Of a line without answers exactly its bytes.
void append_text(const AnsweredLine& line, std::string& out);

/// An object for each frame, each behind ",\n" unless it is the first in `out`.
void append_json(const AnsweredLine& line, std::string& out, bool& is_first);

/// A row for each frame and each inlined call: line, index, module, function, place.
void append_table(const AnsweredLine& line, std::string& out);
std::string_view table_head();

}  // namespace symcached::traces
