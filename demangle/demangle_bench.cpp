/// How fast names are demangled. SYMCACHED_BENCH_NAMES names a file with one name a line (`llvm-nm-22 -j` makes one);
/// without it a few of each kind are asked.
#include <benchmark/benchmark.h>
#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "demangle/demangle.hpp"

namespace symcached::demangle {
namespace {

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> read;
    if (const char* path = std::getenv("SYMCACHED_BENCH_NAMES")) {
      std::ifstream in(path);
      for (std::string line; std::getline(in, line);) read.push_back(line);
    }
    if (!read.empty()) return read;
    return std::vector<std::string>{
        "_ZNSt6vectorIiSaIiEE9push_backEOi",
        "_ZNSt8_Rb_treeISsSt4pairIKSsiESt10_Select1stIS2_ESt4lessISsESaIS2_EE5clearEv",
        "_ZZN1A1fEiENKUlT_E_clIcEEDaS0_",
        "_Z1fi.cold",
        "?f@B@A@@QEBAXPEBD@Z",
        "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
        "_RINvNtC3std3mem8align_ofdE",
        "main",
    };
  }();
  return all;
}

void demangle_all(benchmark::State& state, Detail detail) {
  std::string out;
  std::size_t i = 0, bytes = 0;
  for (auto _ : state) {
    out.clear();
    demangle_append(out, names()[i++ % names().size()], detail);
    bytes += out.size();
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["text_bytes"] = benchmark::Counter(static_cast<double>(bytes), benchmark::Counter::kAvgIterations);
}

void DemangleNames_per_s(benchmark::State& state) { demangle_all(state, Detail::full); }
BENCHMARK(DemangleNames_per_s);

void WithoutParametersNames_per_s(benchmark::State& state) { demangle_all(state, Detail::no_parameters); }
BENCHMARK(WithoutParametersNames_per_s);

/// The C++ runtime's demangler, which knows Itanium's names only.
void CxaDemangleNames_per_s(benchmark::State& state) {
  char* buffer = nullptr;
  std::size_t size = 0, i = 0;
  for (auto _ : state) {
    int status = 0;
    if (char* text = abi::__cxa_demangle(names()[i++ % names().size()].c_str(), buffer, &size, &status)) buffer = text;
    benchmark::DoNotOptimize(buffer);
  }
  std::free(buffer);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(CxaDemangleNames_per_s);

}  // namespace
}  // namespace symcached::demangle
