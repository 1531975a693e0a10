#pragma once
/// A queue of stacks, from signal handlers of any threads to one reader.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// Holds kWords addresses. Lies in memory that is zero at the start, as it comes from the kernel: what is not used is
/// never touched. Handlers take no lock and allocate nothing; a
/// handler that is held up between its first and its last write holds up the reader, not the other handlers.
class SampleRing {
 public:
  static constexpr std::size_t kWords = std::size_t{1} << 16;

  /// @param weight  1 to 2^31: how many samples it stands for
  /// @param stack   1 to kMaxFrames addresses
  /// @return false if there is no room
  bool push(std::uint64_t weight, std::span<const std::uintptr_t> stack) noexcept {
    const std::uint64_t need = stack.size() + 1;
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      if (need > kWords - (head - tail_.load(std::memory_order_acquire))) return false;
    } while (!head_.compare_exchange_weak(head, head + need, std::memory_order_relaxed));
    for (std::size_t i = 0; i < stack.size(); ++i) word(head + 1 + i).store(stack[i], std::memory_order_relaxed);
    word(head).store(weight << kDepthBits | stack.size(), std::memory_order_release);
    return true;
  }

  /// Calls `take(weight, stack)` for each stack that is whole. One thread at a time.
  template <class Take>
  void drain(Take&& take) {
    std::vector<std::uintptr_t> stack;
    for (;;) {
      const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
      const std::uint64_t header = word(tail).load(std::memory_order_acquire);
      if (header == 0) return;
      stack.resize(header & ((1U << kDepthBits) - 1));
      word(tail).store(0, std::memory_order_relaxed);
      for (std::size_t i = 0; i < stack.size(); ++i)  // zeros are what tells the next round's stacks from this one's
        stack[i] = word(tail + 1 + i).exchange(0, std::memory_order_relaxed);
      tail_.store(tail + 1 + stack.size(), std::memory_order_release);
      take(header >> kDepthBits, stack);
    }
  }

 private:
  static constexpr unsigned kDepthBits = 16;
  static_assert(kMaxFrames < (1U << kDepthBits));

  std::atomic_ref<std::uint64_t> word(std::uint64_t i) { return std::atomic_ref(words_[i % kWords]); }

  alignas(64) std::atomic<std::uint64_t> head_{0};  ///< words reserved since the start
  alignas(64) std::atomic<std::uint64_t> tail_{0};  ///< words read
  std::uint64_t words_[kWords];                     // not initialised
};

}  // namespace symcached::pprof
