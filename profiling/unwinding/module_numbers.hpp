#pragma once
/// Numbers for loaded modules, which never mean two modules with different contents.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace symcached::pprof {

/// A module that is loaded now.
struct LoadedModule {
  std::uintptr_t begin = 0, end = 0;
  std::uintptr_t header = 0;  ///< address of .eh_frame_hdr

  bool has(std::uintptr_t address) const { return address - begin < end - begin; }
};

/// Thread-safe without locks, for signal handlers. All zero is empty. Numbers are given once and never taken back: one
/// stands for an address, a size and a build id. What is loaded there later has another build id, so another number.
class ModuleNumbers {
 public:
  static constexpr std::uint32_t kMax = 511;

  /// @param stays  nothing else will ever be loaded in the module's place, so that it needs no build id
  /// @return 1 to kMax; 0 for a module without a build id in its first page, and where there is no room for it
  /// Reads the module's first page, which therefore must stay loaded meanwhile. Cost: about 10 ns.
  std::uint32_t number(const LoadedModule& module, bool stays) noexcept;

 private:
  static constexpr std::size_t kSlots = 512;      ///< numbers are 1 above the slot's index
  static constexpr std::size_t kProbes = 8;       ///< modules whose addresses share a hash, or that were at one address
  static constexpr std::size_t kMaxId = 32;       ///< bytes of a build id
  static constexpr std::size_t kNoteHeader = 16;  ///< bytes, with the name
  static constexpr std::uintptr_t kBusy = 1;      ///< someone is about to fill the slot

  struct Slot {
    std::atomic<std::uintptr_t> begin{0};  ///< 0: free. The others are written before it
    std::uintptr_t end = 0, header = 0;
    std::uint32_t note_at = 0, note_size = 0;  ///< of the build id with its length, from `begin`; 0: the module stays
    std::array<std::byte, kNoteHeader + kMaxId> note{};
  };

  static bool matches(const Slot& slot, const LoadedModule& module, bool stays) noexcept;
  static bool fill(Slot& slot, const LoadedModule& module, bool stays) noexcept;

  std::array<Slot, kSlots> slots_{};
};

}  // namespace symcached::pprof
