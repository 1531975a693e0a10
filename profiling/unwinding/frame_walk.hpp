#pragma once
/// The stack of the calling thread by the tables of the modules, with rules remembered: for x86-64.
#include <cstddef>
#include <cstdint>
#include <span>

namespace symcached::pprof {

/// Of a frame: what the caller's frame is found by.
struct FrameRegisters {
  std::uintptr_t pc = 0;          ///< of the instruction that runs
  std::uintptr_t sp = 0, fp = 0;  ///< rsp, rbp
};

/// Must have been called before walk_frames, and not in a signal handler.
void prepare_frame_walks() noexcept;

struct FrameWalk {
  enum class End : std::uint8_t {
    whole,   ///< the outermost frame, or the last one that there is room for
    other,   ///< a frame is not simple (UnwindRule), or has no table, or is of a signal: another unwinder may know it
    broken,  ///< behind the last frame that was written nothing can be read, which might be the other unwinder's end
  };
  End end = End::other;
  std::size_t count = 0;  ///< of addresses that were written
};

/// Writes the stack outwards from the first frame whose address, of an instruction or of a return, is `from`; no
/// address if that is not among the first 48.
/// Finds what libgcc's unwinder finds, as it goes by the same tables. What it remembers of a module holds for its build
/// id at its address: a module that is loaded in place of another is read anew. Modules without a build id, other than
/// the program itself, are read each time.
/// @param start  the frame to begin with, of this thread; it has not returned
/// Takes no lock and allocates nothing. Reads nothing that cannot be read, but for tables that are damaged in memory.
/// Cost: about 10 ns a frame and 30 ns a module; 100 to 300 ns more for a frame at a place that is not remembered.
FrameWalk walk_frames(FrameRegisters start, std::uintptr_t from, std::span<std::uintptr_t> frames) noexcept;

#if defined(__x86_64__)
/// Of the calling function.
[[gnu::always_inline]] inline FrameRegisters own_registers() noexcept {
  FrameRegisters now;
  asm volatile("movq %%rbp, %2\n\tmovq %%rsp, %1\n\tleaq 0(%%rip), %0" : "=&r"(now.pc), "=&r"(now.sp), "=&r"(now.fp));
  return now;
}
#endif

}  // namespace symcached::pprof
