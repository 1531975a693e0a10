#include <benchmark/benchmark.h>

#include <random>

#include "formats/ppdb/reader.hpp"
#include "testing/managed/portable_pdb.hpp"

namespace symcached::ppdb {
namespace {

/// 20,000 methods of 1 to 10 points, in no order that a processor could foresee.
std::vector<std::byte> many_methods() {
  testkit::PortablePdb spec{.documents = {{.name = "/src/a.cs"}}};
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    testkit::PdbMethodSpec method;
    std::uint32_t il_offset = 0, line = 1 + static_cast<std::uint32_t>(random()) % 2000;
    for (auto left = 1 + random() % 10; left != 0; --left, il_offset += 1 + static_cast<std::uint32_t>(random()) % 40) {
      const auto column = 1 + static_cast<std::uint32_t>(random()) % 60;
      const auto lines = random() % 8 == 0 ? 2u : 0u;
      line += static_cast<std::uint32_t>(random()) % 4;
      if (random() % 10 == 0) method.points.push_back(testkit::hidden(il_offset));
      else method.points.push_back(testkit::point(il_offset, line, column, line + lines, column + 20));
    }
    spec.methods.push_back(std::move(method));
  }
  return assemble(spec).finish();
}

void DecodePoints_per_s(benchmark::State& state) {
  const auto bytes = many_methods();
  const auto pdb = Pdb::open(bytes);
  std::uint64_t count = 0, sum = 0;
  for (auto _ : state) {
    const auto walked = pdb->for_each_method([&](std::uint32_t, SequencePoints& points) {
      for (SequencePoint p; points.next(p); ++count) sum += p.start_line + p.end_column;
    });
    benchmark::DoNotOptimize(walked);
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(static_cast<std::int64_t>(count));
}
BENCHMARK(DecodePoints_per_s);

void OpenPdb_per_s(benchmark::State& state) {
  const auto bytes = many_methods();
  for (auto _ : state) benchmark::DoNotOptimize(Pdb::open(bytes));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(OpenPdb_per_s);

}  // namespace
}  // namespace symcached::ppdb
