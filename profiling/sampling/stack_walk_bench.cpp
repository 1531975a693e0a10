/// What a walk of a stack costs; each counts 24 frames of its own and a few of the program's.
#include "profiling/sampling/stack_walk.hpp"

#include <benchmark/benchmark.h>
#include <unwind.h>

#include <array>
#include <vector>

namespace symcached::pprof {
namespace {

using Walker = void (*)();
std::array<std::uintptr_t, 128> frames;
std::size_t depth = 0;

void by_rules() { depth = walk_stack(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), frames); }

void by_libgcc() {
  depth = 0;
  const auto add = [](_Unwind_Context* context, void*) {
    frames[depth++] = _Unwind_GetIP(context);
    return depth == frames.size() ? _URC_NORMAL_STOP : _URC_NO_REASON;
  };
  _Unwind_Backtrace(add, nullptr);
}

template <int Depth>
[[gnu::noinline]] void deep(Walker walk) {
  if constexpr (Depth == 0) walk();
  else deep<Depth - 1>(walk);
  asm volatile("");
}

void warm(benchmark::State& state, Walker walk) {
  unwinder_problem();
  for (auto _ : state) deep<24>(walk);
  state.counters["ns_per_frame"] = benchmark::Counter(
      static_cast<double>(depth) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// With the processor's caches full of something else, as for one sample in many.
void cold(benchmark::State& state, Walker walk) {
  unwinder_problem();
  std::vector<unsigned char> other(std::size_t{64} << 20);
  for (auto _ : state) {
    state.PauseTiming();
    for (std::size_t i = 0; i < other.size(); i += 64) ++other[i];
    state.ResumeTiming();
    deep<24>(walk);
  }
  state.counters["frames"] = static_cast<double>(depth);
}

void WalkByRules_ns(benchmark::State& state) { warm(state, by_rules); }
void WalkByLibgcc_ns(benchmark::State& state) { warm(state, by_libgcc); }
void ColdWalkByRules_ns(benchmark::State& state) { cold(state, by_rules); }
void ColdWalkByLibgcc_ns(benchmark::State& state) { cold(state, by_libgcc); }
BENCHMARK(WalkByRules_ns);
BENCHMARK(WalkByLibgcc_ns);
BENCHMARK(ColdWalkByRules_ns)->Iterations(60);
BENCHMARK(ColdWalkByLibgcc_ns)->Iterations(60);

}  // namespace
}  // namespace symcached::pprof
