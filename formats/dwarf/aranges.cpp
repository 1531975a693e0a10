#include "formats/dwarf/aranges.hpp"

#include <algorithm>

#include "formats/dwarf/cursor.hpp"

namespace symcached::dwarf {
namespace {

constexpr std::uint16_t kArangesVersion = 2;

/// One set. @return the offset behind it
template <bool Big>
Read<std::uint64_t> read_set(Bytes section, std::uint64_t offset, Aranges& out) {
  Cursor<Big> in(section, offset);
  const InitialLength initial = in.initial_length();
  if (in.failed()) return truncated("dwarf.aranges.length", offset, 12, section.size() - offset);
  if (initial.length > in.left()) return truncated("dwarf.aranges.length", offset, initial.length, in.left());
  const std::uint64_t end = in.position() + initial.length;
  const std::uint16_t version = in.u16();
  const std::uint64_t unit = in.offset(initial.offset_size);
  const std::uint8_t size = in.u8(), segment_size = in.u8();
  const bool known_size = size == 2 || size == 4 || size == 8;
  if (in.failed() || version != kArangesVersion || segment_size != 0 || !known_size) return end;
  const std::uint64_t tuple = 2 * std::uint64_t{size};
  in.skip((tuple - (in.position() - offset) % tuple) % tuple);
  out.units.push_back(unit);
  while (!in.failed() && in.position() <= end && end - in.position() >= tuple) {
    const std::uint64_t low = in.fixed_size(size), length = in.fixed_size(size);
    if (length != 0 && length <= ~low) out.ranges.push_back({low, low + length, unit});
  }
  return end;
}

}  // namespace

Read<Aranges> read_aranges(Bytes section, bool big_endian) {
  Aranges all;
  for (std::uint64_t at = 0; at < section.size();) {
    SC_TRY(const auto end, big_endian ? read_set<true>(section, at, all) : read_set<false>(section, at, all));
    at = end;
  }
  std::ranges::sort(all.units);
  const auto twice = std::ranges::unique(all.units);
  all.units.erase(twice.begin(), twice.end());
  return all;
}

}  // namespace symcached::dwarf
