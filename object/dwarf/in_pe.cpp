#include "object/dwarf/in_pe.hpp"

#include <algorithm>
#include <cstring>

#include "base/decompress.hpp"

namespace symcached::object {
namespace {

constexpr std::string_view kField = "pe.debug_section";
constexpr std::string_view kGnuMark = "ZLIB";  ///< then 8 bytes of big-endian size, then a zlib stream

Read<Buffer> unpack(Bytes data, InflateBudget& budget) {
  ByteReader in(data);
  SC_TRY(const Bytes mark, in.take(kGnuMark.size(), kField));
  if (as_text(mark) != kGnuMark) return bad_value("pe.zdebug.mark", 0, std::to_integer<std::uint64_t>(mark[0]), 'Z');
  SC_TRY(const std::uint64_t size, in.read<u64be>("pe.zdebug.size"));
  if (auto ok = budget.take(size, "pe.zdebug", 0); !ok) return std::unexpected(ok.error());
  return decompress(Codec::zlib, in.rest(), size, "pe.zdebug");
}

}  // namespace

bool PeDwarf::wants(dwarf::SectionName name, bool split) const {
  return name.member != nullptr && name.split == split && (sections_.*name.member).empty();
}

Read<void> PeDwarf::put(dwarf::SectionName name, Bytes data, InflateBudget& budget) {
  if (name.gnu_compressed) {
    SC_TRY(Buffer plain, unpack(data, budget));
    data = owned_.emplace_back(std::move(plain)).bytes();
  }
  sections_.*name.member = data;
  return {};
}

Read<PeDwarf> PeDwarf::of_image(const pe::Image& image, const InflateLimits& limits) {
  PeDwarf dwarf;
  InflateBudget budget(limits, image.file().size());
  for (const pe::SectionHeader& section : image.sections()) {
    const dwarf::SectionName name = dwarf::section_named(image.section_name(section));
    if (!dwarf.wants(name, false)) continue;
    SC_TRY(const Bytes data, image.section_data(section, kField));
    if (data.empty()) continue;  // another file has it
    if (const auto put = dwarf.put(name, data, budget); !put) return std::unexpected(put.error());
  }
  return dwarf;
}

Read<PeDwarf> PeDwarf::of_object(const pe::CoffObject& object, std::span<const pe::SectionPlace> places,
                                 std::uint64_t image_base, bool split, const InflateLimits& limits) {
  PeDwarf dwarf;
  InflateBudget budget(limits, object.file().size());
  dwarf.sections_.split = split;
  for (const pe::SectionHeader& section : object.sections()) {
    const dwarf::SectionName name = dwarf::section_named(object.section_name(section));
    if (!dwarf.wants(name, split)) continue;
    SC_TRY(const Bytes data, object.section_data(section, kField));
    if (data.empty()) continue;
    if (const auto put = dwarf.put(name, data, budget); !put) return std::unexpected(put.error());
    SC_TRY(const auto relocations, object.relocations(section));
    if (relocations.empty()) continue;
    if (!name.gnu_compressed) {
      Buffer copy(data.size());
      std::memcpy(copy.data(), data.data(), data.size());
      dwarf.sections_.*name.member = dwarf.owned_.emplace_back(std::move(copy)).bytes();
    }
    Buffer& own = dwarf.owned_.back();
    if (const auto done = pe::relocate(object, section, places, image_base, {own.data(), own.size()}); !done)
      return std::unexpected(done.error());
  }
  return dwarf;
}

}  // namespace symcached::object
