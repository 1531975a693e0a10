/// How fast a ppdbcache is written and answers. SYMCACHED_BENCH_CACHE names a cache (`symcached convert` makes one);
/// without it an assembly of 76,000 methods with 270,000 points is made up, named or not.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "testing/caches/own_assembly.hpp"

namespace symcached::ppdbcache {
namespace {

/// Shaped as a large library is: half of the rows have no points, many methods have one point, few have many.
testkit::OwnAssembly made_up(bool named) {
  constexpr std::uint32_t kClasses = 2000, kRowsPerClass = 73;
  testkit::RandomSource random(1);
  testkit::OwnAssembly all;
  for (std::uint32_t row = 1; row <= kClasses * kRowsPerClass; ++row) {
    const std::uint32_t owner = row / kRowsPerClass;
    if (owner >= all.documents.size())
      all.documents.emplace_back(
          "/src/Library/Area" + std::to_string(owner % 40) + "/Service" + std::to_string(owner) + ".cs",
          model::Language::csharp);
    testkit::OwnMethod m{.row = row};
    if (named) m.name = "Library.Service" + std::to_string(owner) + ".Method" + std::to_string(row * 7 % 3000);
    const std::uint32_t draw = random.below(200);
    if (row > kClasses * kRowsPerClass / 2 && draw % 6 == 0) m.kickoff = row - kClasses * kRowsPerClass / 2;
    const std::uint32_t count = draw < 96 ? 0 : draw < 142 ? 1 : draw < 154 ? 2 : 3 + random.below(9);
    model::ManagedPoint p{.document = owner, .line = 20 + row % kRowsPerClass * 9, .column = 9};
    for (std::uint32_t i = 0; i < count; ++i) {
      m.points.push_back(p);
      p.il_offset += 1 + random.below(random.below(8) == 0 ? 100 : 20);
      p.line += random.below(12) == 0 ? random.below(12) - 4 : random.below(3);
      p.column = 5 + 4 * random.below(8);
    }
    all.methods.push_back(std::move(m));
  }
  return all;
}

const testkit::OwnAssembly& assembly(bool named) {
  static const testkit::OwnAssembly both[] = {made_up(false), made_up(true)};
  return both[named ? 1 : 0];
}

std::vector<std::byte> load(bool named) {
  if (const char* path = std::getenv("SYMCACHED_BENCH_CACHE")) {
    std::ifstream in(path, std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    const Bytes bytes = as_bytes(file);
    return {bytes.begin(), bytes.end()};
  }
  return testkit::write(assembly(named));
}

const std::vector<std::byte>& cache_bytes(bool named) {
  static const std::vector<std::byte> both[] = {load(false), load(true)};
  return both[named ? 1 : 0];
}

/// Opened, or nothing after telling the benchmark why.
std::optional<Reader> opened(benchmark::State& state, bool named) {
  const auto cache = Reader::open(cache_bytes(named));
  if (cache && cache->method_count() != 0) return *cache;
  state.SkipWithError(cache ? "the cache holds no methods" : to_string(cache.error()).c_str());
  return std::nullopt;
}

struct Question {
  std::uint32_t row, il_offset;
};

/// Methods with points, evenly at random, at any of their points or a little behind.
std::vector<Question> questions(const Reader& cache) {
  constexpr std::size_t kQuestions = 1u << 18;
  testkit::RandomSource random(2);
  std::vector<Question> all;
  std::vector<std::uint32_t> offsets;
  while (all.size() < kQuestions) {
    const std::uint32_t row = random.below(cache.row_limit());
    offsets.clear();
    PointCursor points = cache.points(row);
    for (model::ManagedPoint p; points.next(p);) offsets.push_back(p.il_offset);
    if (!offsets.empty())
      all.push_back({row, offsets[random.below(static_cast<std::uint32_t>(offsets.size()))] + random.below(3)});
  }
  return all;
}

void look_up(benchmark::State& state, bool named) {
  const auto cache = opened(state, named);
  if (!cache) return;
  const auto asked = questions(*cache);
  std::size_t i = 0, bytes = 0;
  for (auto _ : state) {
    const Question& q = asked[i++ % asked.size()];
    if (const auto place = cache->lookup(q.row, q.il_offset))
      bytes += place->document.size() + place->line + place->method.own.size();
  }
  benchmark::DoNotOptimize(bytes);
  state.counters["lookups"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
void LookupPlace_per_s(benchmark::State& state) { look_up(state, false); }
BENCHMARK(LookupPlace_per_s);
void LookupPlaceAndName_per_s(benchmark::State& state) { look_up(state, true); }
BENCHMARK(LookupPlaceAndName_per_s);

void Open_ns(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Reader::open(cache_bytes(false)));
}
BENCHMARK(Open_ns);

void Verify_bytes_per_s(benchmark::State& state) {
  const auto cache = opened(state, false);
  if (!cache) return;
  for (auto _ : state)
    if (!cache->verify()) return state.SkipWithError("the cache is damaged");
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(cache_bytes(false).size()));
}
BENCHMARK(Verify_bytes_per_s)->Unit(benchmark::kMillisecond);

void write_it(benchmark::State& state, bool named) {
  const testkit::OwnAssembly& all = assembly(named);
  for (auto _ : state) benchmark::DoNotOptimize(testkit::write(all));
  state.counters["bytes"] = static_cast<double>(testkit::write(all).size());
}
void WriteNameless_ms(benchmark::State& state) { write_it(state, false); }
BENCHMARK(WriteNameless_ms)->Unit(benchmark::kMillisecond);
void WriteNamed_ms(benchmark::State& state) { write_it(state, true); }
BENCHMARK(WriteNamed_ms)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace symcached::ppdbcache
