#include "profiling/unwinding/frame_walk.hpp"

#include <dlfcn.h>

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

#include <sys/auxv.h>

#include <array>
#include <atomic>

#include "profiling/unwinding/module_numbers.hpp"
#include "profiling/unwinding/rule_cache.hpp"
#include "profiling/unwinding/stack_memory.hpp"

namespace symcached::pprof {
namespace {

constexpr int kMaxInnerFrames = 48;                                  ///< of handlers and hooks, before `from`
constexpr std::uintptr_t kMaxFrameBytes = std::uintptr_t{64} << 20;  ///< one that is larger is taken for a mistake

using FindObject = int (*)(void*, dl_find_object*);
/// Not called by its name, so that the library can be loaded where there is none.
constinit std::atomic<FindObject> find_object{nullptr};
constinit std::atomic<std::uintptr_t> within_program{0};  ///< an address in the program itself, which is never unloaded
constinit ModuleNumbers numbers;
constinit RuleCache rules;

/// The modules of one walk: while it lasts, none of those that are on the stack goes away.
class WalkedModules {
 public:
  /// @param code  as for find_rule
  UnwindRule rule_at(std::uintptr_t code) noexcept {
    const Known* known = find(code);
    if (known == nullptr) return {};
    const std::uintptr_t offset = code - known->module.begin;
    const bool is_kept = known->number != 0 && offset <= UINT32_MAX;
    const auto place = static_cast<std::uint32_t>(offset);
    if (is_kept)
      if (const auto rule = rules.find(known->number, place)) return *rule;
    const LoadedModule& module = known->module;
    const Bytes image{reinterpret_cast<const std::byte*>(module.begin), module.end - module.begin};
    const UnwindRule rule = find_rule({image, module.begin, module.header - module.begin}, code);
    if (is_kept) rules.store(known->number, place, rule);
    return rule;
  }

 private:
  struct Known {
    LoadedModule module;
    std::uint32_t number = 0;
  };

  const Known* find(std::uintptr_t code) noexcept {
    if (known_[last_].module.has(code)) return &known_[last_];
    for (last_ = 0; last_ < known_.size(); ++last_)
      if (known_[last_].module.has(code)) return &known_[last_];
    last_ = next_++ % known_.size();
    Known& known = known_[last_];
    known = {};
    const FindObject look = find_object.load(std::memory_order_relaxed);
    dl_find_object found;
    if (look == nullptr || look(reinterpret_cast<void*>(code), &found) != 0) return nullptr;
    known.module = {reinterpret_cast<std::uintptr_t>(found.dlfo_map_start),
                    reinterpret_cast<std::uintptr_t>(found.dlfo_map_end),
                    reinterpret_cast<std::uintptr_t>(found.dlfo_eh_frame)};
    if (!known.module.has(code) || !known.module.has(known.module.header)) {
      known = {};
      return nullptr;
    }
    known.number = numbers.number(known.module, known.module.has(within_program.load(std::memory_order_relaxed)));
    return &known;
  }

  std::array<Known, 4> known_;
  std::size_t last_ = 0, next_ = 0;
};

/// The CFA, by a rule that says where it is.
std::uintptr_t cfa_by(const UnwindRule& rule, const FrameRegisters& registers) noexcept {
  return (rule.kind == UnwindRule::Kind::from_rbp ? registers.fp : registers.sp) + rule.cfa;
}

bool is_plausible(std::uintptr_t cfa, const FrameRegisters& registers) noexcept {
  return cfa % 8 == 0 && cfa > registers.sp && cfa - registers.sp <= kMaxFrameBytes;
}

/// To the caller's frame. @return false if the stack cannot be read there
bool leave_frame(const UnwindRule& rule, std::uintptr_t cfa, StackMemory& stack, FrameRegisters& registers) noexcept {
  const auto pc = stack.word(cfa - 8);
  const auto fp = rule.rbp_slot == 0 ? registers.fp : stack.word(cfa - 8 * std::uintptr_t{rule.rbp_slot});
  if (!pc || !fp) return false;
  registers = {*pc, cfa, *fp};
  return true;
}

}  // namespace

void prepare_frame_walks() noexcept {
  within_program.store(::getauxval(AT_PHDR), std::memory_order_relaxed);
  find_object.store(reinterpret_cast<FindObject>(::dlsym(RTLD_DEFAULT, "_dl_find_object")), std::memory_order_relaxed);
}

FrameWalk walk_frames(FrameRegisters start, std::uintptr_t from, std::span<std::uintptr_t> frames) noexcept {
  using Kind = UnwindRule::Kind;
  using End = FrameWalk::End;
  WalkedModules modules;
  StackMemory stack;
  FrameRegisters now = start;
  std::uintptr_t code = now.pc;
  FrameWalk walk;
  for (int inner = 0; now.pc != 0;) {
    if (walk.count != 0 || now.pc == from) frames[walk.count++] = now.pc;
    else if (++inner == kMaxInnerFrames) break;
    if (walk.count == frames.size()) break;
    const UnwindRule rule = modules.rule_at(code);
    if (rule.kind == Kind::outermost) break;
    const std::uintptr_t cfa = cfa_by(rule, now);
    if (rule.kind == Kind::other || !is_plausible(cfa, now)) {
      const bool may_go_on = is_readable(now.pc) && (rule.kind == Kind::other || is_readable(cfa - 8));
      walk.end = may_go_on ? End::other : End::broken;
      return walk;
    }
    if (!leave_frame(rule, cfa, stack, now)) {
      walk.end = End::broken;
      return walk;
    }
    code = now.pc - 1;
  }
  walk.end = End::whole;
  return walk;
}

}  // namespace symcached::pprof

#else

namespace symcached::pprof {

void prepare_frame_walks() noexcept {}

FrameWalk walk_frames(FrameRegisters, std::uintptr_t, std::span<std::uintptr_t>) noexcept { return {}; }

}  // namespace symcached::pprof

#endif
