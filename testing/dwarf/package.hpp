#pragma once
/// Assembles the index of a package (.dwp).
#include <cstdint>
#include <utility>
#include <vector>

#include "testing/assembler.hpp"

namespace symcached::testkit {

struct PackageRow {
  std::uint64_t id = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;  ///< offset and size, by column
};

struct PackageIndex {
  std::uint32_t version = 5;
  bool big_endian = false;
  std::vector<std::uint32_t> columns;
  std::vector<PackageRow> rows;
  std::uint32_t slots = 4;
};

/// Rows go into the slots in order, the first one stays empty: a reader that knows all units does not hash.
inline std::vector<std::byte> assemble(const PackageIndex& index) {
  Section out;
  const auto u32 = [&](std::uint32_t value) { index.big_endian ? out.u32_big(value) : out.u32(value); };
  const auto u64 = [&](std::uint64_t value) { index.big_endian ? out.u64_big(value) : out.u64(value); };
  if (index.version == 5 && index.big_endian) out.u16_big(5).u16(0);
  else u32(index.version);
  u32(static_cast<std::uint32_t>(index.columns.size()));
  u32(static_cast<std::uint32_t>(index.rows.size()));
  u32(index.slots);
  const auto row_at = [&](std::uint32_t slot) {
    return slot - 1 < index.rows.size() ? &index.rows[slot - 1] : nullptr;
  };
  for (std::uint32_t slot = 0; slot < index.slots; ++slot) u64(row_at(slot) != nullptr ? row_at(slot)->id : 0);
  for (std::uint32_t slot = 0; slot < index.slots; ++slot) u32(row_at(slot) != nullptr ? slot : 0);
  for (const std::uint32_t column : index.columns) u32(column);
  for (const PackageRow& row : index.rows)
    for (const auto& [offset, size] : row.parts) u32(offset);
  for (const PackageRow& row : index.rows)
    for (const auto& [offset, size] : row.parts) u32(size);
  return out.finish();
}

}  // namespace symcached::testkit
