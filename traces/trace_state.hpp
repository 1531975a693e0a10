#pragma once
/// What the lines so far say of those that follow: memory maps, ids of modules, which thread it is.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traces/dialect.hpp"
#include "traces/module_map.hpp"

namespace symcached::traces {

class TraceState {
 public:
  ModuleMap map;

  /// The next frame is the first of its stack.
  void start_stack() { is_first_ = true; }
  void start_thread(std::string_view name);
  const std::string& thread() const { return thread_; }
  /// The next frame is where a signal came: exact.
  void expect_interrupted() { is_interrupted_ = true; }
  /// Of the frame at hand, which is no longer the next one then.
  Adjust adjust_next(Adjusting rule, std::optional<std::uint64_t> index);

  /// What the text says of a module elsewhere. Kept for at most kMaxMappings modules.
  struct Ids {
    std::string build_id, debug_id;  ///< as written
  };
  void learn_ids(std::string_view module, Ids ids);
  /// By path or name, else by the last part of the path; null if the text says nothing.
  const Ids* ids_of(std::string_view module) const;

  /// A row of a list that has all mappings of each file, one behind the other.
  struct MapRow {
    std::uint64_t start = 0, end = 0, offset = 0;
    bool is_code = false;
    std::string_view path;
  };
  void add_map_row(const MapRow& row);

  // What single dialects need. Empty or 0: the text has not said it.
  std::string_view faulting_module;           ///< of Windows' event log; kept
  std::optional<std::uint64_t> kernel_shift;  ///< run-time less stated addresses, of the kernel
  std::vector<std::string> columns;           ///< of `Stack` rows, lower case, from the header of a table
  struct MarkupModule {
    std::string name, build_id;
  };
  std::map<std::uint64_t, MarkupModule> markup_modules;  ///< by number
  bool in_counted_stack = false;                         ///< bpftrace: between `@[` and `]: COUNT`

  /// A copy of the text that lives as long as this object; empty if there are too many.
  std::string_view keep(std::string_view text);

  /// Forgets all of the process.
  void reset_process();

 private:
  std::map<std::string, Ids, std::less<>> ids_;
  std::set<std::string, std::less<>> kept_;
  std::string thread_;
  std::string last_path_;          // of the row before
  std::uint64_t image_start_ = 0;  // of the file of that row
  bool is_first_ = true, is_interrupted_ = false;
};

/// Looks for what a line says of the lines after it. The line is printed as it is.
/// @param out  frames so far: a line may add to the last one
/// @return whether it says something
bool read_context(std::string_view text, TraceState& state, Frames& out);

/// Rows of memory maps and lists of modules. @return whether the line is one
bool read_map_row(std::string_view text, TraceState& state);

}  // namespace symcached::traces
