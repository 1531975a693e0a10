#pragma once
/// Reads a stack that may be broken, without the signal that this would be elsewhere.
#include <cstddef>
#include <cstdint>
#include <optional>

namespace symcached::pprof {

/// Whether memory can be read: asks the kernel, about 0.1 us. For signal handlers; leaves errno as it is.
bool is_readable(std::uintptr_t address) noexcept;

/// For one walk. Pages of the stack that could be read once are not asked for again by the same thread while it is on
/// the same stack; another stack is one that is more than 16 pages away.
class StackMemory {
 public:
  StackMemory() noexcept;
  ~StackMemory();
  StackMemory(const StackMemory&) = delete;
  StackMemory& operator=(const StackMemory&) = delete;

  /// A word of this thread's stack. @param address  a multiple of 8
  /// @return nothing if it cannot be read
  std::optional<std::uintptr_t> word(std::uintptr_t address) noexcept {
    if (address / kPage - first_ >= count_ && !add_page(address / kPage)) return std::nullopt;
    return word_at(address);
  }

 private:
  static constexpr std::uintptr_t kPage = 4096;

  /// What sanitizers know of the objects that are there is of no interest here.
  [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] static std::uintptr_t word_at(std::uintptr_t address) noexcept {
    return *reinterpret_cast<const volatile std::uintptr_t*>(address);
  }
  bool add_page(std::uintptr_t page) noexcept;

  std::uintptr_t first_, count_;  ///< of pages that can be read, by their numbers
};

}  // namespace symcached::pprof
