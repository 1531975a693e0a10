#include "profiling/sampling/stack_walk.hpp"

#include <dlfcn.h>
#include <ucontext.h>
#include <unwind.h>

#include <array>

namespace symcached::pprof {
namespace {

constexpr int kMaxInnerFrames = 48;  ///< of handlers and hooks, before the frame where a stack starts

struct Walk {
  std::uintptr_t from;
  std::span<std::uintptr_t> frames;
  std::size_t count = 0;
  int inner = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (walk.count == 0 && address != walk.from)
    return ++walk.inner < kMaxInnerFrames ? _URC_NO_REASON : _URC_NORMAL_STOP;
  if (address == 0 || walk.count == walk.frames.size()) return _URC_NORMAL_STOP;
  walk.frames[walk.count++] = address;
  return _URC_NO_REASON;
}

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
  walk_stack(0, frames);  // the first walk measures the registers, once
  return {};
}

}  // namespace

const std::string& unwinder_problem() {
  // Never destroyed: another thread may ask while the program ends.
  static const std::string& problem = *new std::string(find_problem());
  return problem;
}

std::size_t walk_stack(std::uintptr_t from, std::span<std::uintptr_t> frames) noexcept {
  Walk walk{from, frames};
  _Unwind_Backtrace(add_frame, &walk);
  if (walk.count == 0) frames[walk.count++] = from;
  return walk.count;
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
