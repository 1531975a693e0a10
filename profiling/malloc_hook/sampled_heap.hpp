#pragma once
/// The sampled allocations that have not been freed, in memory of fixed size.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "profiling/sampling/profile.hpp"
#include "profiling/sampling/spin_lock.hpp"
#include "profiling/sampling/stack_table.hpp"

namespace symcached::pprof {

/// Thread-safe, and allocates nothing but what it returns. All zero is empty; pages that are not used cost nothing.
class SampledHeap {
 public:
  struct Allocation {
    std::uintptr_t address = 0;
    std::size_t size = 0;
    std::uint32_t stack = 0;
  };

  /// Counts an allocation, and remembers it until it is taken.
  void add(void* pointer, std::size_t size, std::span<const std::uintptr_t> stack) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const std::lock_guard guard(lock_);
    const std::uint32_t number = stacks_.number(stack);
    if (number == 0 || !insert({address, size, number})) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    StackTable::Totals& totals = stacks_.totals(number);
    totals.allocated_count += 1;
    totals.allocated_bytes += static_cast<std::int64_t>(size);
  }

  /// False if there is none of the sampled on the pointer's page, or on one 4 GiB away. Cost: one load, of a byte in a
  /// cache line that stands for 256 KiB of memory: where what is freed is in a cache, so is that.
  bool may_have(const void* pointer) const noexcept {
    return of_cell(cell_of(reinterpret_cast<std::uintptr_t>(pointer))).load(std::memory_order_relaxed) != 0;
  }
  /// Has may_have say so for good.
  void mark(const void* pointer) noexcept {
    const std::lock_guard guard(lock_);
    count_in(cell_of(reinterpret_cast<std::uintptr_t>(pointer)));
  }

  /// Forgets an allocation, which is about to be freed.
  std::optional<Allocation> take(const void* pointer) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address == 0) return std::nullopt;  // is what the free places of a bucket have
    Bucket& bucket = bucket_of(address);
    for (std::size_t i = 0; i < kWays; ++i) {
      if (bucket.addresses[i].load(std::memory_order_relaxed) != address) continue;
      const std::lock_guard guard(lock_);
      bucket.addresses[i].store(0, std::memory_order_relaxed);
      count_out(cell_of(address));
      const Allocation found{address, bucket.sizes[i], bucket.stacks[i]};
      StackTable::Totals& totals = stacks_.totals(found.stack);
      totals.count -= 1;
      totals.value -= static_cast<std::int64_t>(found.size);
      return found;
    }
    return std::nullopt;
  }

  /// What was taken has not been freed after all.
  void put_back(const Allocation& allocation) noexcept {
    const std::lock_guard guard(lock_);
    if (!insert(allocation)) lost_.fetch_add(1, std::memory_order_relaxed);
  }

  std::vector<Sample> samples() { return copy_samples(stacks_, lock_); }
  std::int64_t lost() const { return lost_; }
  /// Held while the process forks, so that no thread is in the middle of a change.
  SpinLock& lock() { return lock_; }

 private:
  static constexpr std::size_t kWays = 8;
  static constexpr unsigned kBucketBits = 14, kFilterBits = 20, kPageBits = 12;
  static constexpr std::uint8_t kFull = 255;

  struct alignas(64) Bucket {
    std::array<std::atomic<std::uintptr_t>, kWays> addresses;
    std::array<std::size_t, kWays> sizes;
    std::array<std::uint32_t, kWays> stacks;
  };

  static std::uint64_t mixed(std::uintptr_t address) { return (address >> 4) * 0x9e3779b97f4a7c15; }
  static std::size_t cell_of(std::uintptr_t address) { return address >> kPageBits & ((1U << kFilterBits) - 1); }
  Bucket& bucket_of(std::uintptr_t address) { return buckets_[mixed(address) >> (64 - kBucketBits)]; }

  // A cell that has been full stays so: nobody knows any more how many there were.
  void count_in(std::size_t cell) noexcept { count(cell, 1); }
  void count_out(std::size_t cell) noexcept { count(cell, -1); }
  void count(std::size_t cell, int by) noexcept {
    const std::uint8_t now = of_cell(cell).load(std::memory_order_relaxed);
    if (now != kFull) of_cell(cell).store(static_cast<std::uint8_t>(now + by), std::memory_order_relaxed);
  }

  bool insert(const Allocation& allocation) noexcept {
    Bucket& bucket = bucket_of(allocation.address);
    for (std::size_t i = 0; i < kWays; ++i) {
      if (bucket.addresses[i].load(std::memory_order_relaxed) != 0) continue;
      bucket.sizes[i] = allocation.size;
      bucket.stacks[i] = allocation.stack;
      bucket.addresses[i].store(allocation.address, std::memory_order_relaxed);
      count_in(cell_of(allocation.address));
      StackTable::Totals& totals = stacks_.totals(allocation.stack);
      totals.count += 1;
      totals.value += static_cast<std::int64_t>(allocation.size);
      return true;
    }
    return false;
  }

  SpinLock lock_;
  std::atomic<std::int64_t> lost_{0};
  std::atomic_ref<std::uint8_t> of_cell(std::size_t cell) const { return std::atomic_ref(filter_[cell]); }
  mutable std::array<std::uint8_t, 1U << kFilterBits> filter_{};  ///< how many a cell has; so many atomics take clang
                                                                  ///< too many steps to make before the program runs
  std::array<Bucket, 1U << kBucketBits> buckets_{};
  StackTable stacks_;
};

}  // namespace symcached::pprof
