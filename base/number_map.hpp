#pragma once
/// Numbers found again by a number: offsets of strings, pairs of ids, by the million.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace symcached {

/// Open addressing, with a hash that no file can be made for: its factor is another one in each process.
/// The key ~0 is never found and never kept.
class NumberMap {
 public:
  NumberMap() : slots_(kFirstSlots), factor_(process_factor()) {}

  /// The value at `key`; made with 0 if it is new, and then `added` is true. Valid until the next call.
  std::uint32_t& at(std::uint64_t key, bool& added) {
    if (used_ * 2 > slots_.size()) grow();
    Slot& slot = find(key);
    added = slot.key != key;
    if (added) {
      slot = {key, 0};
      ++used_;
    }
    return slot.value;
  }
  void clear() {
    if (used_ == 0) return;
    slots_.assign(slots_.size() > kLargestKept ? kFirstSlots : slots_.size(), Slot{});
    used_ = 0;
    set_shift();
  }

 private:
  struct Slot {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t value = 0;
  };
  static constexpr std::size_t kFirstSlots = 1024;
  static constexpr std::size_t kLargestKept = 16384;

  static std::uint64_t process_factor();  // odd

  void set_shift() { shift_ = 64u - static_cast<unsigned>(std::countr_zero(slots_.size())); }
  Slot& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    auto at = static_cast<std::size_t>(key * factor_ >> shift_);
    while (slots_[at].key != key && slots_[at].key != ~std::uint64_t{0}) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    set_shift();
    for (const Slot& slot : old)
      if (slot.key != ~std::uint64_t{0}) find(slot.key) = slot;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint64_t factor_;
  unsigned shift_ = 64 - std::countr_zero(kFirstSlots);
};

}  // namespace symcached
