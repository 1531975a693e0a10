/// How fast a symcache answers. SYMCACHED_BENCH_CACHE names a cache (`symcached convert` makes one); without it a
/// synthetic one of 20,000 functions is asked.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "testing/caches/own_module.hpp"

namespace symcached::symcache {
namespace {

std::vector<std::byte> load() {
  if (const char* path = std::getenv("SYMCACHED_BENCH_CACHE")) {
    std::ifstream in(path, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    const Bytes bytes = as_bytes(file);
    return {bytes.begin(), bytes.end()};
  }
  testkit::RandomSource random(1);
  return testkit::write(testkit::ModuleMaker(random, false, 1).functions(20'000));
}

const std::vector<std::byte>& cache_bytes() {
  static const std::vector<std::byte> bytes = load();
  return bytes;
}

/// Opened, or nothing after telling the benchmark why.
std::optional<Symcache> opened(benchmark::State& state) {
  const auto cache = Symcache::open(cache_bytes());
  if (cache && cache->function_count() != 0) return *cache;
  state.SkipWithError(cache ? "the cache holds no functions" : to_string(cache.error()).c_str());
  return std::nullopt;
}

/// Addresses spread evenly at random over the functions' code.
std::vector<model::Rva> addresses(const Symcache& cache) {
  constexpr std::size_t kAddresses = 1u << 16;
  testkit::RandomSource random(2);
  FrameBuffer buffer;
  std::vector<model::Rva> all;
  while (all.size() < kAddresses) {
    const auto f = cache.function(random.below(cache.function_count()), buffer);
    if (f && f->size != 0) all.push_back({f->start.value + random.below(f->size)});
  }
  return all;
}

void LookupFrames_per_s(benchmark::State& state) {
  const auto cache = opened(state);
  if (!cache) return;
  const auto asked = addresses(*cache);
  FrameBuffer buffer;
  std::size_t i = 0, frames = 0, bytes = 0;
  for (auto _ : state) {
    const auto found = cache->lookup(asked[i++ % asked.size()], buffer);
    if (!found) continue;
    frames += found->frames.size();
    for (const Frame& f : found->frames) bytes += f.function.size() + f.file.size();
  }
  const auto count = static_cast<double>(state.iterations());
  state.counters["lookups"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
  state.counters["frames"] = benchmark::Counter(static_cast<double>(frames) / count);
  state.counters["name_bytes"] = benchmark::Counter(static_cast<double>(bytes) / count);
}
BENCHMARK(LookupFrames_per_s);

void OpenAndOneLookup_ns(benchmark::State& state) {
  const auto cache = opened(state);
  if (!cache) return;
  const auto asked = addresses(*cache);
  std::size_t i = 0;
  for (auto _ : state) {
    const auto fresh = Symcache::open(cache_bytes());
    FrameBuffer buffer;
    benchmark::DoNotOptimize(fresh->lookup(asked[i++ % asked.size()], buffer));
  }
}
BENCHMARK(OpenAndOneLookup_ns);

/// Lists functions in order: their records, names and row counts.
void ListFunctions_per_s(benchmark::State& state) {
  const auto cache = opened(state);
  if (!cache) return;
  FrameBuffer buffer;
  std::uint32_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cache->function(i++ % cache->function_count(), buffer));
  state.counters["functions"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(ListFunctions_per_s);

void Verify_bytes_per_s(benchmark::State& state) {
  const auto cache = opened(state);
  if (!cache) return;
  for (auto _ : state)
    if (!cache->verify()) return state.SkipWithError("the cache is damaged");
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(cache_bytes().size()));
}
BENCHMARK(Verify_bytes_per_s)->Unit(benchmark::kMillisecond);

/// Names alone: addresses of functions without rows, so that no row is decoded.
void LookupNameAlone_per_s(benchmark::State& state) {
  static const std::vector<std::byte> file = [] {
    std::vector<testkit::OwnFunction> functions;
    for (std::uint32_t i = 0; i < 4096; ++i) {
      const std::string n = std::to_string(i % 61);
      functions.push_back(
          {.start = i * 16, .size = 16, .name = "ns" + n + "::Table<std::pair<Key" + n + ", Value>>::find"});
    }
    return testkit::write(functions);
  }();
  const auto cache = Symcache::open(file);
  FrameBuffer buffer;
  std::uint64_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cache->lookup({i++ * 0x9E37 % (4096 * 16)}, buffer));
  state.counters["lookups"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(LookupNameAlone_per_s);

}  // namespace
}  // namespace symcached::symcache
