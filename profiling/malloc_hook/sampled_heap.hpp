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
    const Place place = place_with(address, address);
    if (place.bucket == nullptr) return std::nullopt;
    const std::lock_guard guard(lock_);
    place.bucket->addresses[place.way].store(0, std::memory_order_relaxed);
    count_out(cell_of(address));
    const Allocation found{address, place.bucket->sizes[place.way], place.bucket->stacks[place.way]};
    StackTable::Totals& totals = stacks_.totals(found.stack);
    totals.count -= 1;
    totals.value -= static_cast<std::int64_t>(found.size);
    return found;
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
  static constexpr unsigned kFewBits = 8, kManyBits = 14, kFilterBits = 20, kPageBits = 12;
  static constexpr std::uint8_t kFull = 255;

  struct alignas(64) Bucket {
    std::array<std::atomic<std::uintptr_t>, kWays> addresses;
    std::array<std::size_t, kWays> sizes;
    std::array<std::uint32_t, kWays> stacks;
  };

  struct Place {
    Bucket* bucket = nullptr;
    std::size_t way = 0;
    bool is_in_many = false;
  };

  static std::size_t cell_of(std::uintptr_t address) {
    static_assert(kPageBits + kFilterBits == 32);
    return static_cast<std::uint32_t>(address) >> kPageBits;
  }
  /// Among the places for an address, one that holds it, or 0 for a free one. @return no bucket if there is none
  Place place_with(std::uintptr_t held, std::uintptr_t address) noexcept {
    const std::uint64_t mixed = (address >> 4) * 0x9e3779b97f4a7c15;
    const auto among = [&](Bucket& bucket, bool is_in_many) {
      for (std::size_t i = 0; i < kWays; ++i)
        if (bucket.addresses[i].load(std::memory_order_relaxed) == held) return Place{&bucket, i, is_in_many};
      return Place{};
    };
    const Place place = among(few_[mixed >> (64 - kFewBits)], false);
    if (place.bucket != nullptr || (held != 0 && !many_used_.load(std::memory_order_relaxed))) return place;
    return among(many_[mixed >> (64 - kManyBits)], true);
  }
  // A cell that has been full stays so: nobody knows any more how many there were.
  void count_in(std::size_t cell) noexcept { count(cell, 1); }
  void count_out(std::size_t cell) noexcept { count(cell, -1); }
  void count(std::size_t cell, int by) noexcept {
    const std::uint8_t now = of_cell(cell).load(std::memory_order_relaxed);
    if (now != kFull) of_cell(cell).store(static_cast<std::uint8_t>(now + by), std::memory_order_relaxed);
  }

  bool insert(const Allocation& allocation) noexcept {
    const Place place = place_with(0, allocation.address);
    if (place.bucket == nullptr) return false;
    if (place.is_in_many) many_used_.store(true, std::memory_order_relaxed);
    place.bucket->sizes[place.way] = allocation.size;
    place.bucket->stacks[place.way] = allocation.stack;
    place.bucket->addresses[place.way].store(allocation.address, std::memory_order_relaxed);
    count_in(cell_of(allocation.address));
    StackTable::Totals& totals = stacks_.totals(allocation.stack);
    totals.count += 1;
    totals.value += static_cast<std::int64_t>(allocation.size);
    return true;
  }

  std::atomic_ref<std::uint8_t> of_cell(std::size_t cell) const { return std::atomic_ref(filter_[cell]); }
  /// How many a cell has; so many atomics take clang too many steps to make before the program runs. First, as an
  /// offset would cost each free an instruction.
  mutable std::array<std::uint8_t, 1U << kFilterBits> filter_{};
  SpinLock lock_;
  std::atomic<std::int64_t> lost_{0};
  // The kernel gives memory by pages, which takes it longer than all else here: few are used while they are enough.
  std::atomic<bool> many_used_{false};
  std::array<Bucket, 1U << kFewBits> few_{};
  std::array<Bucket, 1U << kManyBits> many_{};
  StackTable stacks_;
};

}  // namespace symcached::pprof
