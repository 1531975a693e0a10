#pragma once
/// From a place in code to the rule that leads from a frame there to its caller's: x86-64 alone.
/// Spec: Linux Standard Base Core, 10.6; DWARF 5, 6.4; System V ABI for AMD64, 3.6.2 (numbers of registers).
#include <cstdint>

#include "base/bytes.hpp"

namespace symcached::pprof {

/// Where the caller's frame is, for frames as compilers make them: the return address lies right below the CFA (what
/// the stack pointer will be after the return), and the caller's rbp is in rbp or at a place that counts from the CFA.
struct UnwindRule {
  enum class Kind : std::uint8_t {
    other,      ///< none is known, or one that is not as simple as these
    from_rsp,   ///< the CFA is rsp + cfa
    from_rbp,   ///< the CFA is rbp + cfa
    outermost,  ///< nobody called this
  };
  static constexpr std::uint32_t kMaxCfa = (1U << 19) - 8;
  static constexpr std::uint32_t kMaxRbpSlot = 15;

  Kind kind = Kind::other;
  std::uint32_t cfa = 0;       ///< bytes: a multiple of 8, up to kMaxCfa
  std::uint32_t rbp_slot = 0;  ///< the caller's rbp is at CFA - 8 * rbp_slot: 2 to kMaxRbpSlot; 0: in rbp

  friend bool operator==(const UnwindRule&, const UnwindRule&) = default;
};

/// A module as it is in memory.
struct ModuleTables {
  Bytes image;                ///< from its first segment's start to its last one's end
  std::uint64_t address = 0;  ///< of the image's first byte
  std::uint64_t header = 0;   ///< offset of .eh_frame_hdr in the image
};

/// The rule at an address of code. Kind::other for all that these tables do not say in the usual way: entries without
/// search table, expressions except those of PLTs, frames of signals, other registers.
/// @param code  of the instruction that runs; of the last byte of a call for a frame that waits for its return
/// Reads only bytes of the image. Takes no lock and allocates nothing.
/// Cost: a binary search, then the instructions of one entry: 100 to 300 ns.
UnwindRule find_rule(const ModuleTables& tables, std::uint64_t code) noexcept;

}  // namespace symcached::pprof
