#pragma once
/// Where functions begin and end by the unwind information, which stripped files have, too.
/// Spec: Linux Standard Base Core, 10.6 Exception Frames.
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::pprof {

/// Code with one set of unwind rules: a function, or a part of one that lies elsewhere. Stated addresses.
struct FrameRange {
  std::uint64_t begin = 0, end = 0;

  friend bool operator==(const FrameRange&, const FrameRange&) = default;
  friend auto operator<=>(const FrameRange&, const FrameRange&) = default;
};

/// The ranges in .eh_frame, in no order. Entries in an encoding that no compiler uses here are left out; what comes
/// behind a damaged entry is, too.
/// @param frames   from the start of .eh_frame; may go on behind its end
/// @param address  stated, of the first byte
/// Cost: about 20 ns for each entry.
std::vector<FrameRange> frame_ranges(Bytes frames, std::uint64_t address);

/// Where .eh_frame starts, by .eh_frame_hdr at the stated address `address`; 0 if it does not say.
std::uint64_t frames_address(Bytes header, std::uint64_t address);

}  // namespace symcached::pprof
