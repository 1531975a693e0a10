#pragma once
/// Records of .eh_frame, in bytes that may be anything. Spec: Linux Standard Base Core, 10.6 Exception Frames.
/// No function here allocates.
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"

namespace symcached::pprof {

/// How a pointer is written: the format in the low half of the byte, what it counts from in the high one.
constexpr std::uint8_t kOmittedPointer = 0xFF;

/// Bytes of a pointer; 0: not of a fixed size, which is used nowhere.
std::size_t pointer_size(std::uint8_t encoding);

/// The number that is written there, from whatever it counts.
std::optional<std::uint64_t> pointer_number(Bytes data, std::uint64_t at, std::uint8_t encoding);

/// What a pointer points to; nothing if it counts from something else than 0 or its own place.
/// @param address  of data's first byte
std::optional<std::uint64_t> pointer_at(Bytes data, std::uint64_t at, std::uint8_t encoding, std::uint64_t address);

/// One entry: its bytes but for the length.
struct FrameEntry {
  std::uint64_t start = 0;  ///< of its id: offset
  std::uint64_t end = 0;
  std::uint32_t id = 0;  ///< 0: a common entry; else how far before `start` there is this entry's common one

  Bytes body(Bytes frames) const;  ///< what follows the id
};

/// @return nothing behind the last entry, and where one does not lie within the bytes
std::optional<FrameEntry> frame_entry_at(Bytes frames, std::uint64_t at);

/// What entries of functions have in common.
struct CommonEntry {
  std::uint8_t pointers = kOmittedPointer;  ///< how they write pointers; kOmittedPointer: this one was not understood
  bool is_complete = false;                 ///< all of its augmentation is known, so that the rules are all there
  bool has_data = false;                    ///< entries have bytes of their own between range and instructions
  bool is_signal = false;                   ///< of code that the kernel has signal handlers return to
  std::uint64_t code_step = 0;
  std::int64_t data_step = 0;
  std::uint64_t return_register = 0;
  Bytes instructions;
};

/// @param body  what follows its id
CommonEntry read_common_entry(Bytes body);

}  // namespace symcached::pprof
