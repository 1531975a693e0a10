#include "profiling/sampling/stack_walk.hpp"

#include <dlfcn.h>
#include <ucontext.h>
#include <unwind.h>

#include <array>

#include "profiling/unwinding/frame_walk.hpp"

namespace symcached::pprof {
namespace {

constexpr int kMaxInnerFrames = 48;  ///< of handlers and hooks, before the frame where a stack starts

struct LibgccWalk {
  std::uintptr_t from;
  std::span<std::uintptr_t> frames;
  std::size_t count = 0;
  int inner = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  LibgccWalk& walk = *static_cast<LibgccWalk*>(argument);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (walk.count == 0 && address != walk.from)
    return ++walk.inner < kMaxInnerFrames ? _URC_NO_REASON : _URC_NORMAL_STOP;
  if (address == 0 || walk.count == walk.frames.size()) return _URC_NORMAL_STOP;
  walk.frames[walk.count++] = address;
  return _URC_NO_REASON;
}

std::size_t walk_by_libgcc(std::uintptr_t from, std::span<std::uintptr_t> frames) noexcept {
  LibgccWalk walk{from, frames};
  _Unwind_Backtrace(add_frame, &walk);
  if (walk.count == 0) frames[walk.count++] = from;
  return walk.count;
}

#if defined(__x86_64__)
/// In the frame of the caller, which starts here.
[[gnu::always_inline]] inline std::size_t walk(FrameRegisters start, std::uintptr_t from,
                                               std::span<std::uintptr_t> frames) noexcept {
  const FrameWalk found = walk_frames(start, from, frames);
  if (found.end == FrameWalk::End::other) return walk_by_libgcc(from, frames);
  if (found.count != 0) return found.count;
  frames[0] = from;
  return 1;
}
#endif

std::string find_problem() {
  if (::dlsym(RTLD_DEFAULT, "_dl_find_object") == nullptr)
    return "this C library cannot be asked for unwind tables in a signal handler; glibc 2.35 or later can";
#if defined(__x86_64__)
  // Each libgcc that knows _dl_find_object has this one, too. A libgcc linked into the program is the compiler's own.
  if (void* libgcc = ::dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
    const bool recent = ::dlvsym(libgcc, "__extendhfsf2", "GCC_12.0.0") != nullptr;
    ::dlclose(libgcc);
    if (!recent) return "this libgcc_s takes locks to find unwind tables; that of GCC 12 or later does not";
  }
#endif
  std::array<std::uintptr_t, 4> frames;
  walk_by_libgcc(0, frames);  // the first walk measures the registers, once
  prepare_frame_walks();
  return {};
}

}  // namespace

const std::string& unwinder_problem() {
  // Never destroyed: another thread may ask while the program ends.
  static const std::string& problem = *new std::string(find_problem());
  return problem;
}

std::size_t walk_stack(std::uintptr_t from, std::span<std::uintptr_t> frames) noexcept {
#if defined(__x86_64__)
  return walk(own_registers(), from, frames);
#else
  return walk_by_libgcc(from, frames);
#endif
}

std::size_t walk_interrupted_stack(const void* context, std::span<std::uintptr_t> frames) noexcept {
  const std::uintptr_t address = interrupted_address(context);
#if defined(__x86_64__)
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto value = [&](int number) { return static_cast<std::uintptr_t>(registers[number]); };
  return walk({address, value(REG_RSP), value(REG_RBP)}, address, frames);
#else
  return walk_by_libgcc(address, frames);
#endif
}

std::uintptr_t interrupted_address(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
#error "say where this processor's ucontext has the program counter"
#endif
}

}  // namespace symcached::pprof
