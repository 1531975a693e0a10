#pragma once
/// Starting another program, which gets nothing of this one but what it is given.
#include <sys/types.h>

#include <expected>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace symcached {

struct ChildPlan {
  std::span<const std::string> command;  ///< path of the program, then its arguments
  std::string name = {};                 ///< for whoever lists processes; empty: the path
  std::string folder = {};               ///< that it starts in; empty: ours
  std::span<const std::string> environment = {};
  /// Ours, and what the child has it as; no number twice, sorted by the child's, of which all but the last are 0 to 2.
  /// Those of 0 to 2 that are missing are /dev/null.
  std::span<const std::pair<int, int>> descriptors = {};
};

/// Signals are as at the start of a program, and the child leads a process group of its own. @return its id, or errno
std::expected<pid_t, int> start_child(const ChildPlan& plan);

/// What waitpid() told: "exit status 1", "signal 11 (Segmentation fault)".
std::string ending_text(int status);

}  // namespace symcached
