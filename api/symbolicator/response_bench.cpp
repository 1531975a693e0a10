/// How fast stack traces become JSON: 100 stacks of 50 frames in 20 modules, every second of them with an inlined call.
/// SYMCACHED_BENCH_CACHE names a symcache to ask in place of the synthetic ones.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "api/symbolicator/request.hpp"
#include "api/symbolicator/response.hpp"
#include "testing/caches/answering_modules.hpp"

namespace symcached::api {
namespace {

constexpr std::uint32_t kModules = 20, kStacks = 100, kFrames = 50, kFunctions = 2000, kFunctionSize = 64;
constexpr std::uint64_t kFirstImage = 0x10000000, kImageStep = 0x1000000;

std::string method(std::uint32_t module, std::uint32_t i) {
  const std::string name = fmt::format("handle_request_{}", i);
  return fmt::format("_ZN6server2v{}10Connection{}{}ERKSt6vectorISt4pairIiPKcESaIS4_EEm", module % 10, name.size(),
                     name);
}

std::vector<std::byte> synthetic(std::uint32_t module) {
  std::vector<testkit::OwnFunction> functions;
  for (std::uint32_t i = 0; i < kFunctions; ++i) {
    testkit::OwnFunction f{.start = 0x1000 + std::uint64_t{i} * kFunctionSize, .size = kFunctionSize};
    f.name = method(module, i);
    f.language = model::Language::cpp;
    const std::string file = fmt::format("/builds/server/src/net/connection_{}.cc", i % 97);
    f.calls = {{.name = "_ZNKSt6vectorIiSaIiEE4sizeEv", .file = file, .line = 100 + i, .column = 7}};
    f.lines = {
        {.offset = 0, .line = 99 + i, .file = file},
        {.offset = kFunctionSize / 2, .line = 1007, .file = "/usr/include/c++/12/bits/stl_vector.h", .inlinee = 0}};
    functions.push_back(f);
  }
  return testkit::write(functions, {.arch = model::Arch::x86_64, .producer_kind = "elf"});
}

std::vector<std::byte> cache_of(std::uint32_t module) {
  const char* const path = std::getenv("SYMCACHED_BENCH_CACHE");
  if (path == nullptr) return synthetic(module);
  std::ifstream in(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const Bytes bytes = as_bytes(file);
  return {bytes.begin(), bytes.end()};
}

struct Input {
  std::vector<symbolize::Module> modules;
  std::string body;
};

/// Addresses spread over the functions of all modules.
const Input& input() {
  static const Input made = [] {
    Input all;
    for (std::uint32_t m = 0; m < kModules; ++m) all.modules.push_back(testkit::module_of(cache_of(m)));
    testkit::RandomSource random(1);
    symcache::FrameBuffer buffer;
    all.body = R"({"stacktraces":[)";
    for (std::uint32_t s = 0; s < kStacks; ++s) {
      all.body += s == 0 ? R"({"frames":[)" : R"(]},{"frames":[)";
      for (std::uint32_t f = 0; f < kFrames; ++f) {
        const std::uint32_t m = random.below(kModules);
        const auto& cache = *all.modules[m].symcache();
        const auto function = cache.function(random.below(cache.function_count()), buffer);
        const std::uint64_t rva = function->start.value + 1 + random.below(function->size);
        all.body +=
            fmt::format(R"({}{{"instruction_addr":"{:#x}"}})", f == 0 ? "" : ",", kFirstImage + m * kImageStep + rva);
      }
    }
    all.body += R"(]}],"modules":[)";
    for (std::uint32_t m = 0; m < kModules; ++m)
      all.body += fmt::format(R"({}{{"type":"elf","code_file":"/opt/server/lib/libserver{}.so","image_addr":"{:#x}"}})",
                              m == 0 ? "" : ",", m, kFirstImage + m * kImageStep);
    all.body += "]}";
    return all;
  }();
  return made;
}

std::vector<stacks::ModuleState> states() {
  std::vector<stacks::ModuleState> all;
  for (const symbolize::Module& module : input().modules)
    all.push_back({.status = stacks::ModuleStatus::found, .module = &module});
  return all;
}

void count(benchmark::State& state, std::size_t bytes) {
  const auto frames = static_cast<double>(state.iterations()) * kStacks * kFrames;
  state.counters["frames_per_s"] = benchmark::Counter(frames, benchmark::Counter::kIsRate);
  state.counters["bytes_per_frame"] = benchmark::Counter(static_cast<double>(bytes) / (kStacks * kFrames));
}

void SymbolicateAndWrite(benchmark::State& state) {
  const auto parsed = parse_symbolicate_body(input().body, {});
  const stacks::ModuleMap modules(parsed->request.modules);
  const auto found = states();
  stacks::Scratch scratch;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string body = completed_body(parsed->request, modules, found, scratch).text;
    bytes = body.size();
    benchmark::DoNotOptimize(body.data());
  }
  count(state, bytes);
}
BENCHMARK(SymbolicateAndWrite)->Unit(benchmark::kMillisecond);

void ParseBody(benchmark::State& state) {
  for (auto _ : state) {
    const auto parsed = parse_symbolicate_body(input().body, {});
    benchmark::DoNotOptimize(&parsed);
  }
  count(state, input().body.size());
}
BENCHMARK(ParseBody)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace symcached::api
