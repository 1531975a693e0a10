#pragma once
/// Names of generated code, as JIT compilers write them for perf: /tmp/perf-PID.map, lines "START SIZE NAME" in hex.
#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace symcached::pprof {

/// The functions that are there at the end: what overlaps an earlier one has replaced it.
class JitNames {
 public:
  /// Lines that are none are left out, as are those that begin after kMaxFunctions are known.
  void add_line(std::string_view line);
  /// Empty if no function is at the address.
  std::string_view find(std::uintptr_t address) const;
  std::size_t size() const { return functions_.size(); }

  static constexpr std::size_t kMaxFunctions = std::size_t{1} << 20;

 private:
  struct Function {
    std::uint64_t end = 0;
    std::string name;
  };
  std::map<std::uint64_t, Function> functions_;  // by where they begin; no two overlap
};

/// The map of this process: read when it is first needed, and what was appended since, later. Thread-safe.
class JitMap {
 public:
  /// @param path  asked for the path before each look, as a child process has another; empty: perf's own place
  explicit JitMap(std::function<std::string()> path = {});

  /// The linkage name; empty if it is not known.
  std::string name(std::uintptr_t address);
  /// Looks whether the file has grown. A file of another user, or that is none, is not read.
  void refresh();

 private:
  void read_more(int file, const struct stat& status);

  std::function<std::string()> path_;
  std::mutex mutex_;
  JitNames names_;
  struct stat status_{};
  std::uint64_t read_ = 0;  // bytes of whole lines
};

}  // namespace symcached::pprof
