/// What a hit costs that this run has checked before: what every request for a known file pays.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "store/store.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

EntryKey key(std::size_t i) {
  return {{"symcaches", 1}, "global", fmt::format("crash.pdb/3249D99D0C4049318610F4E4FB0B6936{:x}", i)};
}

void CheckedHit_ns(benchmark::State& state) {
  const TempFolder folder;
  const auto store = std::move(*Store::open(folder.path(), 1));
  const auto entries = static_cast<std::size_t>(state.range(0));
  std::vector<EntryKey> keys;
  for (std::size_t i = 0; i < entries; ++i) {
    keys.push_back(key(i));
    auto writer = store->create(keys.back());
    if (!writer || !writer->write(as_bytes("payload")) || !std::move(*writer).publish())
      return state.SkipWithError("could not publish");
    store->lookup(keys.back());
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store->lookup_checked(keys[i++ % keys.size()]));
}
BENCHMARK(CheckedHit_ns)->Arg(1)->Arg(1000);

void UnknownKey_ns(benchmark::State& state) {
  const TempFolder folder;
  const auto store = std::move(*Store::open(folder.path(), 1));
  const EntryKey unknown = key(0);
  for (auto _ : state) benchmark::DoNotOptimize(store->lookup_checked(unknown));
}
BENCHMARK(UnknownKey_ns);

}  // namespace
}  // namespace symcached::store
