/// How fast symbol files are read, in bytes of text. SYMCACHED_BENCH_SYM names one; without it the text is made up.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "formats/breakpad/names.hpp"
#include "formats/breakpad/reader.hpp"

namespace symcached::breakpad {
namespace {

std::string load() {
  if (const char* path = std::getenv("SYMCACHED_BENCH_SYM")) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string text = "MODULE Linux x86_64 000000000000000000000000000000000 made_up\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("FILE {} /builds/worker/source/{}/module.cpp\n", i, i * 7);
  for (int i = 0; i < 100'000; ++i) {
    text += fmt::format("FUNC {:x} 40 0 some::name::of::a::function<{}>(int, char const*)\n", i * 64, i);
    text += fmt::format("INLINE 0 {} {} {} {:x} 8 {:x} 4\n", i % 900, i % 3000, i % 10, i * 64 + 4, i * 64 + 32);
    for (int line = 0; line < 8; ++line)
      text += fmt::format("{:x} 8 {} {}\n", i * 64 + line * 8, i % 900 + line, i % 3000);
    text += fmt::format("STACK CFI INIT {:x} 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n", i * 64);
  }
  return text;
}

const std::string& text() {
  static const std::string all = load();
  return all;
}

void BM_BreakpadReadRecords_bytes_per_s(benchmark::State& state) {
  for (auto _ : state) {
    Reader reader(as_bytes(text()));
    std::uint64_t records = 0;
    for (auto kind = reader.next(); kind && *kind != RecordKind::end; kind = reader.next()) ++records;
    benchmark::DoNotOptimize(records);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text().size()));
}
BENCHMARK(BM_BreakpadReadRecords_bytes_per_s);

void BM_BreakpadReadNames_bytes_per_s(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(read_names(as_bytes(text())));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text().size()));
}
BENCHMARK(BM_BreakpadReadNames_bytes_per_s);

}  // namespace
}  // namespace symcached::breakpad
