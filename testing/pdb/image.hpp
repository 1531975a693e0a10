#pragma once
/// Assembles whole small PDBs: the streams in their places and the DBI stream that ties them together.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/pdb/pdb.hpp"
#include "testing/pdb/codeview_records.hpp"
#include "testing/pdb/msf_file.hpp"

namespace symcached::testkit {

struct PdbModule {
  std::string name;
  std::vector<std::byte> symbols{}, c13{};
  bool has_stream = true;
};

struct PdbContribution {
  Place at;
  std::uint32_t size = 0;
  std::uint16_t module = 0;
};

struct PdbSection {
  std::uint32_t rva, size;
  std::uint32_t characteristics = 0x60000020;  ///< code
};

struct PdbImage {
  std::uint32_t info_age = 1, dbi_age = 1;
  std::uint16_t machine = 0x8664;
  std::uint16_t flags = 0;
  std::vector<std::string> names{};  ///< of /names, after the empty one
  std::vector<PdbModule> modules{};
  std::vector<PdbContribution> contributions{};
  bool contributions_v2 = false;
  std::vector<PdbSection> sections{{0x1000, 0x1000}};
  std::vector<PdbSection> original_sections{};
  std::vector<pdb::OmapEntry> omap{};
  TypeRecords types{}, items{};
  Symbols publics{};
  bool has_dbi = true, has_names = true;
  std::vector<std::uint32_t> features{};  ///< at the end of the info stream
  /// Further ones, with what is in them; at most 30.
  std::vector<std::pair<std::string, std::vector<std::byte>>> named_streams{};
};

/// Offset of the n-th of `names` in /names.
inline std::uint32_t name_offset(const PdbImage& image, std::size_t index) {
  std::size_t at = 1;
  for (std::size_t i = 0; i < index; ++i) at += image.names[i].size() + 1;
  return static_cast<std::uint32_t>(at);
}

/// Streams in the order of PdbStreams::all.
class PdbStreams {
 public:
  explicit PdbStreams(const PdbImage& image) {
    all.resize(5);
    all[2] = image.types.finish();
    all[4] = image.items.finish();
    std::vector<std::uint16_t> named{add(names_stream(image))};
    for (const auto& [name, bytes] : image.named_streams) named.push_back(add(bytes));
    all[1] = info(image, named);
    if (image.has_dbi) all[3] = dbi(image);
  }
  std::vector<std::vector<std::byte>>
      all;  ///< 1 info, 2 types, 3 DBI, 4 items, then /names, the named ones, those DBI names

 private:
  std::uint16_t add(std::vector<std::byte> stream) {
    all.push_back(std::move(stream));
    return static_cast<std::uint16_t>(all.size() - 1);
  }
  static std::vector<std::byte> names_stream(const PdbImage& image) {
    Section text;
    text.u8(0);
    for (const std::string& name : image.names) text.c_string(name);
    return Section().u32(0xEFFEEFFE).u32(1).u32(static_cast<std::uint32_t>(text.size())).bytes(text.finish()).finish();
  }
  /// @param named  the stream of /names, then those of named_streams
  static std::vector<std::byte> info(const PdbImage& image, const std::vector<std::uint16_t>& named) {
    Section out;
    out.u32(20000404).u32(0x5AB38077).u32(image.info_age);
    for (std::uint8_t i = 1; i <= 16; ++i) out.u8(i);
    if (!image.has_names) return out.finish();
    Section names, entries;
    names.c_string("/names");
    entries.u32(0).u32(named[0]);
    for (std::size_t i = 1; i < named.size(); ++i) {
      entries.u32(static_cast<std::uint32_t>(names.size())).u32(named[i]);
      names.c_string(image.named_streams[i - 1].first);
    }
    const auto count = static_cast<std::uint32_t>(named.size());
    out.u32(static_cast<std::uint32_t>(names.size())).bytes(names.finish());
    out.u32(count).u32(count + 1).u32(1).u32(((1u << count) - 1) << 1).u32(0);  // from the second place on; none
                                                                                // deleted
    out.bytes(entries.finish()).u32(0);                                         // then a number that nobody needs
    for (const std::uint32_t feature : image.features) out.u32(feature);
    return out.finish();
  }
  std::vector<std::byte> section_headers(const std::vector<PdbSection>& sections) {
    Section out;
    for (const PdbSection& s : sections)
      out.text_in(".text", 8).u32(s.size).u32(s.rva).zeros(20).u32(s.characteristics);
    return out.finish();
  }
  std::vector<std::byte> modules(const PdbImage& image) {
    Section out;
    for (const PdbModule& module : image.modules) {
      const std::uint16_t stream = module.has_stream
                                       ? add(Section().u32(4).bytes(module.symbols).bytes(module.c13).u32(0).finish())
                                       : std::uint16_t{0xFFFF};
      out.zeros(4 + 28).u16(0).u16(stream);
      out.u32(module.has_stream ? static_cast<std::uint32_t>(4 + module.symbols.size()) : 0).u32(0);
      out.u32(module.has_stream ? static_cast<std::uint32_t>(module.c13.size()) : 0);
      out.zeros(16).c_string(module.name).c_string(module.name + ".lib").align(4);
    }
    return out.finish();
  }
  static std::vector<std::byte> contributions(const PdbImage& image) {
    Section out;
    out.u32(image.contributions_v2 ? 0xF13151E4 : 0xF12EBA2D);
    for (const PdbContribution& c : image.contributions) {
      out.u16(c.at.segment).u16(0).u32(c.at.offset).u32(c.size).u32(0x60000020).u16(c.module).u16(0).u32(0).u32(0);
      if (image.contributions_v2) out.u32(1);
    }
    return out.finish();
  }
  std::vector<std::byte> debug_header(const PdbImage& image) {
    std::array<std::uint16_t, 11> slots;
    slots.fill(0xFFFF);
    Section omap;
    for (const pdb::OmapEntry& e : image.omap) omap.put(e);
    if (!image.omap.empty()) slots[4] = add(omap.finish());
    slots[5] = add(section_headers(image.sections));
    if (!image.original_sections.empty()) slots[10] = add(section_headers(image.original_sections));
    Section out;
    for (const std::uint16_t slot : slots) out.u16(slot);
    return out.finish();
  }
  std::vector<std::byte> dbi(const PdbImage& image) {
    const std::uint16_t publics = add(image.publics.finish());
    const auto module_bytes = modules(image);
    const auto contribution_bytes = contributions(image);
    const auto debug_bytes = debug_header(image);
    const auto size = [](const std::vector<std::byte>& b) { return static_cast<std::uint32_t>(b.size()); };
    Section out;
    out.u32(0xFFFFFFFF).u32(19990903).u32(image.dbi_age).u16(0xFFFF).u16(0).u16(0xFFFF).u16(0).u16(publics).u16(0);
    out.u32(size(module_bytes)).u32(size(contribution_bytes)).zeros(16).u32(size(debug_bytes)).u32(0);
    out.u16(image.flags).u16(image.machine).u32(0);
    return out.bytes(module_bytes).bytes(contribution_bytes).bytes(debug_bytes).finish();
  }
};

inline std::vector<std::byte> assemble(const PdbImage& image, const MsfLayout& layout = {}) {
  return msf_file(PdbStreams(image).all, layout);
}

}  // namespace symcached::testkit
