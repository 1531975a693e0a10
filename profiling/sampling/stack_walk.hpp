#pragma once
/// The stack of the calling thread, from a signal handler or from a hook in the allocator or in a lock.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace symcached::pprof {

/// Why walk_stack must not be called in a signal handler here; empty if it may. The unwinder has to find its tables
/// without a lock, as it does since libgcc 12 with glibc 2.35. Also makes what it allocates once, so call it before.
/// One gap is left: libgcc 12 takes a lock if a JIT has registered tables of its own (__register_frame).
const std::string& unwinder_problem();

/// Writes the stack outwards from the frame whose return address is `from`, which leaves out the frames of the caller.
/// Stops at a frame without unwind information. Writes `from` alone where no such frame is found.
/// Takes no lock and allocates nothing. Cost: about 15 ns a frame whose place was on a stack before, as rules are
/// remembered, if that is in the processor's caches. A stack with a frame that takes libgcc's unwinder
/// (FrameWalk::End::other) costs 0.2 to 0.5 us a frame.
/// @return how many addresses it wrote: 1 to the size of `frames`, which is not 0
std::size_t walk_stack(std::uintptr_t from, std::span<std::uintptr_t> frames) noexcept;

/// The same from where a signal interrupted the thread. @param context  what a handler gets as its third argument
std::size_t walk_interrupted_stack(const void* context, std::span<std::uintptr_t> frames) noexcept;

/// The address at which a signal interrupted the thread. @param context  what a handler gets as its third argument
std::uintptr_t interrupted_address(const void* context) noexcept;

}  // namespace symcached::pprof
