#include <benchmark/benchmark.h>

#include "testing/temp_folder.hpp"
#include "transcode/directory.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

/// find() and open() of one symcache among as many PDBs as the argument says.
void Hits_per_s(benchmark::State& state) {
  const TempFolder folder;
  const DebugId id{*Guid::parse("3249d99d0c4049318610f4e4fb0b6936"), 1};
  for (int i = 0; i < state.range(0); ++i) {
    const std::string name = "app" + std::to_string(i) + ".pdb";
    folder.write(*wpt::to_string(wpt::PdbPlace{{name, {3, 1, 0}}, id}), "content");
  }
  const auto now = [] { return std::chrono::system_clock::now() + std::chrono::hours(1); };
  const auto directory = SymcacheDirectory::open(folder.path(), {.now = now}).value();
  for (auto _ : state) {
    const auto found = directory->find("App1.pdb", id);
    benchmark::DoNotOptimize(directory->open(found->at(0)).get());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Hits_per_s)->Arg(10)->Arg(1'000);

}  // namespace
}  // namespace symcached::transcode
