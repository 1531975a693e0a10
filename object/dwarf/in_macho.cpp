#include "object/dwarf/in_macho.hpp"

#include <algorithm>
#include <cstring>

#include "base/decompress.hpp"

namespace symcached::object {
namespace {

constexpr std::string_view kField = "macho.debug_section";
constexpr std::string_view kPackedMagic = "ZLIB";
constexpr std::uint8_t kAddressItself = 0;  ///< relocation type

Read<Buffer> inflated(Bytes data, InflateBudget& budget) {
  if (!as_text(data).starts_with(kPackedMagic)) return bad_value("macho.debug_section.magic", 0, 0);
  SC_TRY(const auto size, read_at<u64be>(data, kPackedMagic.size(), kField));
  if (auto ok = budget.take(size, kField, 0); !ok) return std::unexpected(ok.error());
  return decompress(Codec::zlib, data.subspan(kPackedMagic.size() + sizeof(size)), size, kField);
}

/// Values relative to a section already are addresses of the object file; those relative to a symbol lack its address.
bool lacks_symbol(const macho::Relocation& r) {
  return r.external && !r.pc_relative && r.type == kAddressItself && (r.bytes == 4 || r.bytes == 8);
}

template <class T>
void add_to(std::byte* at, std::uint64_t value, bool big_endian) {
  T old;
  std::memcpy(&old, at, sizeof(old));
  const bool swap = big_endian != (std::endian::native == std::endian::big);
  if (swap) old = std::byteswap(old);
  old = static_cast<T>(old + value);
  if (swap) old = std::byteswap(old);
  std::memcpy(at, &old, sizeof(old));
}

Read<Buffer> relocated(const macho::File& file, Bytes data, const std::vector<macho::Relocation>& relocations) {
  SC_TRY(const auto symbols, file.symbols());
  Buffer out(data.size());
  std::memcpy(out.data(), data.data(), data.size());
  for (const macho::Relocation& r : relocations) {
    if (!lacks_symbol(r)) continue;
    if (r.offset > out.size() || r.bytes > out.size() - r.offset)
      return bad_value("macho.relocation.address", 0, r.offset, out.size());
    if (r.symbol >= symbols.size()) return bad_value("macho.relocation.symbol", 0, r.symbol, symbols.size());
    const macho::Symbol symbol = symbols.at(r.symbol);
    if (!symbol.is_defined()) continue;
    std::byte* const at = out.data() + r.offset;
    if (r.bytes == 8) add_to<std::uint64_t>(at, symbol.value, file.header().big_endian);
    else add_to<std::uint32_t>(at, symbol.value, file.header().big_endian);
  }
  return out;
}

bool is_debug(const macho::SectionInfo& section) { return section.segment == "__DWARF" && section.size != 0; }

}  // namespace

bool has_dwarf(const macho::File& file) {
  return std::ranges::any_of(file.sections(), [](const macho::SectionInfo& section) {
    return is_debug(section) && dwarf::section_named(section.name).member == &dwarf::Sections::info;
  });
}

Read<void> MachoDwarf::add(const macho::File& file, const macho::SectionInfo& section, InflateBudget& budget) {
  const dwarf::SectionName name = dwarf::section_named(section.name);
  if (name.member == nullptr || name.split) return {};
  Bytes& place = sections_.*name.member;
  if (!place.empty()) return {};  // linkers and compilers make one of each name
  SC_TRY(Bytes data, file.data_of(section));
  if (data.empty()) return {};
  if (name.gnu_compressed) {
    SC_TRY(auto plain, inflated(data, budget));
    data = owned_.emplace_back(std::move(plain)).bytes();
  }
  if (file.header().type == macho::FileType::object && section.relocation_count != 0) {
    SC_TRY(const auto relocations, file.relocations(section));
    if (std::ranges::any_of(relocations, lacks_symbol)) {
      SC_TRY(auto whole, relocated(file, data, relocations));
      data = owned_.emplace_back(std::move(whole)).bytes();
    }
  }
  place = data;
  return {};
}

Read<MachoDwarf> MachoDwarf::open(const macho::File& file, const InflateLimits& limits) {
  MachoDwarf dwarf;
  InflateBudget budget(limits, file.file().size());
  dwarf.sections_.big_endian = file.header().big_endian;
  for (const macho::SectionInfo& section : file.sections()) {
    if (!is_debug(section)) continue;
    if (const auto added = dwarf.add(file, section, budget); !added) return std::unexpected(added.error());
  }
  return dwarf;
}

}  // namespace symcached::object
