#pragma once
/// The lines and inlined calls of one Breakpad function as the model's flat rows.
///
/// A symbol file gives one line table for the innermost frames, and for each inlined call its bytes, its place and its
/// depth. FrameFlattener has another task: there every frame has a line table of its own.
#include <cstdint>
#include <span>
#include <vector>

#include "model/module.hpp"
#include "object/common/work_budget.hpp"

namespace symcached::object {

class BreakpadFrames {
 public:
  static constexpr std::uint32_t kMaxDepth = 256;

  /// Begins a function: bytes start to start + size of the image.
  void start(std::uint64_t start, std::uint32_t size);
  /// What lies outside the function is cut off. Of two lines for one byte the first given counts.
  void add_line(std::uint64_t address, std::uint64_t size, std::uint32_t line, model::StringId file);
  /// A call of depth d is made by the one of depth d - 1 that holds the byte, whichever comes first in the file; it
  /// counts only where there is one, or d is 0. Calls nested deeper than kMaxDepth are left out.
  void add_call(std::uint32_t depth, model::StringId name, model::StringId call_file, std::uint32_t call_line);
  /// Bytes of the last call. Of two calls of one depth that hold a byte the one with the lower start counts.
  void add_call_range(std::uint64_t address, std::uint64_t size);
  /// @param budget  of steps: one for each place where a row or call starts or ends, each call that
  ///                holds it, and more for a new Inlinee
  /// @return        false: the budget is overdrawn, and the results are of no use
  /// Cost: a sort, none if lines rise and there are no calls.
  bool finish(WorkBudget& budget);

  std::span<const model::Line> lines() const { return lines_; }
  std::span<const model::Inlinee> inlinees() const { return inlinees_; }

 private:
  struct Row {
    std::uint32_t start, end, line;
    model::StringId file;
  };
  struct Call {
    std::uint32_t depth, newest;  ///< newest: its latest Inlinee, or none
    model::Inlinee inlinee;       ///< but for the caller
  };
  struct CallRange {
    std::uint32_t depth, start, end, call;
  };
  struct Event {
    std::uint32_t offset;
    bool opens;  ///< at one offset all ends come before all starts
    std::uint32_t depth, call;
  };
  struct Cut {
    std::uint32_t start = 0, end = 0;
  };
  Cut cut(std::uint64_t address, std::uint64_t size) const;
  void order_rows();
  void order_calls();
  void collect_offsets();
  std::uint32_t innermost();
  std::uint32_t inlinee_of(Call& call, std::uint32_t caller);

  std::uint64_t start_ = 0;
  std::uint32_t size_ = 0;
  std::vector<Row> rows_;
  std::vector<Call> calls_;
  std::vector<CallRange> ranges_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> open_;  // per depth: the call that holds the offset, or none
  std::vector<model::Line> lines_;
  std::vector<model::Inlinee> inlinees_;
  std::uint64_t steps_ = 0;  // not yet taken off the budget
};

}  // namespace symcached::object
