/// How fast line number programs are run: one table of 8 MiB as GCC would write it, from a fixed seed.
#include <benchmark/benchmark.h>

#include <random>

#include "formats/dwarf/line.hpp"
#include "testing/dwarf/line.hpp"

namespace symcached::dwarf {
namespace {

/// Instructions about as often as a large C++ program has them, in no order that a processor could foresee.
std::vector<std::byte> program(std::size_t size) {
  std::mt19937 random(1);
  const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  testkit::LineProgram out;
  out.address(0x401000);
  while (out.size() < size) {
    if (chance(52)) {
      if (chance(40)) out.file(1 + random() % 300);
      out.column(1 + random() % 60);
    }
    if (chance(38)) out.op(DW_LNS_negate_stmt);
    if (chance(50)) out.line(static_cast<std::int64_t>(random() % 600) - 300).copy();
    else out.op(static_cast<std::uint8_t>(13 + random() % 243));
    if (chance(7)) out.extended(DW_LNE_set_discriminator, testkit::DwarfBytes().uleb(1 + random() % 9));
    if (chance(2)) out.pc(1 + random() % 400);
  }
  return out.end_sequence().finish();
}

void LineProgramBytes_per_s(benchmark::State& state) {
  const auto bytes = testkit::assemble({.program = program(8u << 20)});
  const Sections sections{.line = bytes};
  LineHeader header;
  LineRows rows;
  std::size_t row_count = 0;
  for (auto _ : state) {
    rows.clear();
    if (!read_line_header(sections, 0, header) || !run_line_program(header, false, rows))
      return state.SkipWithError("the table cannot be read");
    row_count += rows.size();
    benchmark::DoNotOptimize(rows.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
  state.SetItemsProcessed(static_cast<std::int64_t>(row_count));
}
BENCHMARK(LineProgramBytes_per_s)->Unit(benchmark::kMillisecond);

void LineHeaderFiles_per_s(benchmark::State& state) {
  constexpr std::size_t kFiles = 1000;
  testkit::DwarfBytes tables;
  std::string names;
  tables.u8(1).uleb(DW_LNCT_path).uleb(0x1F).uleb(1).u32(0);
  tables.u8(2).uleb(DW_LNCT_path).uleb(0x1F).uleb(DW_LNCT_directory_index).uleb(0x0F).uleb(kFiles);
  for (std::size_t i = 0; i < kFiles; ++i) {
    tables.u32(static_cast<std::uint32_t>(names.size())).uleb(i % 40);
    names += "a_header_" + std::to_string(i) + ".hpp";
    names.push_back('\0');
  }
  const auto bytes = testkit::assemble({.tables = tables.finish()});
  LineHeader header;
  for (auto _ : state)
    if (!read_line_header({.line = bytes, .line_str = as_bytes(names)}, 0, header))
      return state.SkipWithError("the header cannot be read");
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kFiles));
}
BENCHMARK(LineHeaderFiles_per_s);

}  // namespace
}  // namespace symcached::dwarf
