/// Indexes of packages: the first byte says big-endian (1); the rest is the index and every section it divides.
#include <cstdlib>

#include "formats/dwarf/package.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (size == 0) return 0;
  const Bytes rest = std::as_bytes(std::span(data, size)).subspan(1);
  const bool big_endian = (data[0] & 1) != 0;
  const auto index = dwarf::UnitIndex::open(rest, big_endian);
  if (!index) return 0;
  const dwarf::Sections package{.info = rest,
                                .types = rest,
                                .abbrev = rest,
                                .line = rest,
                                .str = rest,
                                .str_offsets = rest,
                                .rnglists = rest,
                                .cu_index = rest,
                                .big_endian = big_endian,
                                .split = true};
  if (index->units().size() > rest.size() / 12) std::abort();  // a slot is 12 bytes
  for (const dwarf::PackedUnit& unit : index->units()) {
    const auto sections = index->sections_of(unit.row, package);
    if (!sections) continue;
    if (sections->str.size() != rest.size() || !sections->cu_index.empty()) std::abort();
    for (const Bytes part : {sections->info, sections->abbrev, sections->str_offsets, sections->rnglists})
      if (!part.empty() && (part.data() < rest.data() || part.size() > rest.size())) std::abort();
  }
  return 0;
}
