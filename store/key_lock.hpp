#pragma once
/// One computation per key among all processes that share a cache directory.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/descriptor.hpp"

namespace symcached::store {

inline constexpr std::string_view kLocksName = "locks";

/// Locks on single bytes of one file in the cache directory, which is never written to: byte n stands for all names of
/// entries whose hash is n, of 62 bits. The system gives up the locks of a process that ends, however it ends. Safe to
/// use from any thread.
class KeyLocks {
  struct State;

 public:
  /// @param directory  empty: only within this process
  /// @param is_ours    asked before the file is created
  KeyLocks(std::filesystem::path directory, std::function<bool()> is_ours);

  /// Holds the lock for as long as it lives, which may be longer than the KeyLocks.
  class Guard {
   public:
    Guard(Guard&&) noexcept = default;
    Guard& operator=(Guard&&) = delete;
    ~Guard();

   private:
    friend class KeyLocks;
    Guard(std::shared_ptr<State> state, std::uint64_t byte) : state_(std::move(state)), byte_(byte) {}

    std::shared_ptr<State> state_;
    std::shared_ptr<const Descriptor> file_;  ///< null: only this process knows
    std::uint64_t byte_;
  };

  /// Nothing if somebody has it, in this process or another. Does not wait. Where the file system has no locks, or the
  /// file cannot be opened, only those of this process count.
  std::optional<Guard> try_lock(const std::string& name);

 private:
  std::shared_ptr<const Descriptor> current_file();

  const std::filesystem::path directory_;
  const std::function<bool()> is_ours_;
  const std::shared_ptr<State> state_;
  std::mutex mutex_;
  std::shared_ptr<const Descriptor> file_;  ///< guarded by mutex_
};

struct KeyLocks::State {
  std::mutex mutex;
  std::unordered_set<std::uint64_t> held;  ///< by this process: its threads share one open file, which has one lock
};

}  // namespace symcached::store
