/// What a lookup costs when its cache is open in memory, and when it has to be found, checked and opened first; beside
/// them what opening and reading the same file takes by itself.
#include <benchmark/benchmark.h>
#include <fcntl.h>

#include <numeric>

#include "service/open_modules.hpp"
#include "store/store.hpp"
#include "testing/caches/own_module.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::service {
namespace {

const store::EntryKey kKey{{"symcaches", 1}, "global", "crash.pdb/3249D99D0C4049318610F4E4FB0B69361"};

/// One entry in a cache directory.
struct Cache {
  Cache() {
    testkit::RandomSource random(1);
    const auto bytes = testkit::write(testkit::ModuleMaker(random, false, 1).functions(20'000));
    auto writer = store->create(kKey);
    if (!writer || !writer->write(bytes) || !std::move(*writer).publish()) std::abort();
  }
  std::shared_ptr<const store::Entry> entry() const { return std::get<store::Hit>(store->lookup(kKey)).entry; }

  TempFolder folder;
  std::unique_ptr<store::Store> store = std::move(*store::Store::open(folder.path(), 1));
};

void look_up(const symbolize::Module& module, symbolize::Answer& answer) {
  module.ask(model::Rva{0x1000}, {}, answer);
  benchmark::DoNotOptimize(answer.frames().size());
}

void WarmLookup_ns(benchmark::State& state) {
  const Cache cache;
  OpenModules modules(std::uint64_t{1} << 30);
  if (!modules.open(kKey, *cache.entry())) return state.SkipWithError("could not open");
  symbolize::Answer answer;
  for (auto _ : state) {
    OpenModule module = modules.find(kKey);
    if (!module) module = *modules.open(kKey, *cache.entry());
    look_up(*module, answer);
  }
}
BENCHMARK(WarmLookup_ns);

void ColdLookup_ns(benchmark::State& state) {
  const Cache cache;
  symbolize::Answer answer;
  for (auto _ : state) {
    OpenModules modules(std::uint64_t{1} << 30);
    const auto module = modules.open(kKey, *cache.entry());
    if (!module) return state.SkipWithError(module.error().c_str());
    look_up(**module, answer);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * cache.entry()->size()));
}
BENCHMARK(ColdLookup_ns);

void PlainMmap_ns(benchmark::State& state) {
  const Cache cache;
  const auto path = cache.store->path_of(kKey);
  for (auto _ : state) {
    const auto mapped = MappedFile::open(path);
    const Bytes bytes = mapped->bytes();
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data() + at, 8);
      sum += word;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * cache.entry()->size()));
}
BENCHMARK(PlainMmap_ns);

}  // namespace
}  // namespace symcached::service
