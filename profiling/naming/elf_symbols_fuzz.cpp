#include <algorithm>
#include <cstring>

#include "profiling/naming/symbol_tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::pprof;
  symcached::Buffer bytes(size);
  if (size != 0) std::memcpy(bytes.data(), data, size);
  std::vector<MemorySource::Piece> pieces;
  pieces.push_back({0, std::move(bytes)});
  const auto file = ElfFile::open(std::make_shared<MemorySource>(std::move(pieces)));
  if (!file) return 0;
  SymbolCollection symbols(*file);
  symbols.add_full_table(*file);
  symbols.add_dynamic_table(*file);
  symbols.add_packed_table(*file);
  auto all = symbols.take_symbols();
  const std::string names = symbols.take_names();
  const auto ranges = lay_out(std::move(all), frames_of(*file), names);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_behind = i == 0 || ranges[i].begin >= ranges[i - 1].begin + ranges[i - 1].size;
    if (!is_behind || ranges[i].size == 0 || find_range(ranges, ranges[i].begin) != &ranges[i]) __builtin_trap();
    plain_name(names, ranges[i].name);
  }
  for (std::uint64_t offset = 0; offset < 0x4000; offset += 0x800) code_address(file->segments(), offset);
  return 0;
}
