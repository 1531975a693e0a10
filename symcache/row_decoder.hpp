#pragma once
/// Runs the row program of one function. Every byte is checked; a program that is wrong ends early and says so.
/// Spec: docs/formats/symcache.md, section 5.
#include <cstdint>
#include <utility>

#include "base/bytes.hpp"
#include "base/uleb_cursor.hpp"
#include "symcache/format.hpp"

namespace symcached::symcache {

/// An inlined call as it stands in a program.
struct FrameDefinition {
  std::uint32_t subprogram = 0;
  std::uint32_t caller = 0;  ///< position of the caller's definition; 0 = the function itself
  std::uint32_t call_file = kOwnFile;
  std::uint32_t call_line = 0;  ///< as RowState::line
  std::uint32_t call_column = 0;
};

struct RowState {
  std::uint64_t offset = 0;  ///< in units
  std::uint32_t frame = 0;   ///< position of the frame's definition; 0 = the function itself
  std::uint32_t file = kOwnFile;
  std::uint32_t line = 0;  ///< less the base line of the frame's subprogram, modulo 2^32
  std::uint32_t column = 0;
  bool operator==(const RowState&) const = default;
};

class RowDecoder {
 public:
  RowDecoder(Bytes program, bool has_columns) : program_(program), in_(program, 0), has_columns_(has_columns) {}

  /// Goes on at a restart instead of the first row.
  void restart_at(const Restart& restart) {
    in_ = UlebCursor(program_, restart.position);
    restart_offset_ = restart.offset;
  }
  /// Runs up to and with the next row. False at the end, or where the program is wrong (failed()).
  bool next(RowState& state) {
    std::uint32_t new_file = kNoChange;
    for (;;) {
      if (in_.at_end()) return false;
      const std::uint8_t tag = in_.byte();
      if (tag < kShortRows) {
        state.offset += (tag % kShortOffsets) + 1;
        state.line += tag / kShortOffsets - std::uint32_t{kShortLineBias};
      } else if (!long_op(tag, state, new_file)) {
        if (in_.failed()) return false;
        continue;
      }
      if (new_file != kNoChange) state.file = new_file;
      if (has_columns_) state.column += change();
      if (restart_offset_ != kNoRestart) state.offset = std::exchange(restart_offset_, kNoRestart);
      return !in_.failed();
    }
  }
  bool failed() const { return in_.failed() || failed_; }
  /// Bytes from the first row to what next() reads next.
  std::size_t position() const { return in_.position(); }

  /// @return false where no definition can stand at `position`
  bool definition(std::uint32_t position, FrameDefinition& out) const {
    UlebCursor in(program_, position);
    return read_definition(in, out);
  }

 private:
  static constexpr std::uint32_t kNoChange = 0xFFFFFFFF;
  static constexpr std::uint64_t kNoRestart = 0xFFFFFFFFFFFFFFFF;

  bool read_definition(UlebCursor& in, FrameDefinition& out) const {
    const auto here = static_cast<std::uint32_t>(in.position());
    out.subprogram = in.number();
    const std::uint32_t distance = in.number();
    if (distance > here) return false;
    out.caller = distance == 0 ? 0 : here - distance;
    const std::uint64_t call = in.wide_number();
    out.call_line = static_cast<std::uint32_t>(unzigzag(call >> 1));
    out.call_file = (call & 1) != 0 ? in.number() : std::uint32_t{kOwnFile};
    out.call_column = has_columns_ ? in.number() : 0;
    return !in.failed();
  }

  /// A change of a line or column: lines and columns wrap at 2^32.
  std::uint32_t change() { return static_cast<std::uint32_t>(in_.signed_number()); }

  /// True if the operation completed a row.
  bool long_op(std::uint8_t tag, RowState& state, std::uint32_t& new_file) {
    const auto op = static_cast<RowOp>(tag >> 5 & 3);
    if (op == kOther) return other_op(tag & 31, state, new_file);
    const std::uint32_t step = tag >> 1 & 15;
    state.offset += step != 0 ? step : in_.number();
    FrameDefinition frame;
    switch (op) {
      case kNewFrame:
        state.frame = static_cast<std::uint32_t>(in_.position());
        if (!read_definition(in_, frame)) return fail();
        enter(state, kOwnFile, 0, 0);
        break;
      case kUp:
        if (state.frame == 0 || !definition(state.frame, frame)) return fail();
        state.frame = frame.caller;
        enter(state, frame.call_file, frame.call_line, frame.call_column);
        break;
      default: {
        const auto here = static_cast<std::uint32_t>(in_.position());
        const std::uint32_t distance = in_.number();
        if (distance > here) return fail();
        state.frame = distance == 0 ? 0 : here - distance;
        enter(state, kOwnFile, 0, 0);
      }
    }
    if ((tag & 1) == 0) state.line += change();
    return true;
  }

  bool other_op(std::uint32_t op, RowState& state, std::uint32_t& new_file) {
    FrameDefinition frame;
    switch (op) {
      case kLongRow:
        state.offset += in_.number();
        state.line += change();
        return true;
      case kDefineFrame:
        if (!read_definition(in_, frame)) fail();
        return false;
      case kSetFile: new_file = in_.number(); return false;
      default: return fail();
    }
  }

  static void enter(RowState& state, std::uint32_t file, std::uint32_t line, std::uint32_t column) {
    state.file = file;
    state.line = line;
    state.column = column;
  }
  bool fail() {
    failed_ = true;
    in_ = UlebCursor(program_, program_.size() + 1);
    return false;
  }

  Bytes program_;
  UlebCursor in_;
  std::uint64_t restart_offset_ = kNoRestart;
  bool has_columns_;
  bool failed_ = false;
};

}  // namespace symcached::symcache
