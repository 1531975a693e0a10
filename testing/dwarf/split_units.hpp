#pragma once
/// Split DWARF without a container: a main file of skeletons, and per unit the sections of its .dwo file. Each unit has
/// two functions, `one_N` of one range and `two_N` of two, without lines.
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "formats/dwarf/sections.hpp"
#include "testing/assembler.hpp"

namespace symcached::testkit {

struct SplitUnitSpec {
  std::uint64_t id = 0;        ///< that the skeleton states
  std::uint64_t split_id = 0;  ///< that the split unit states
  std::uint64_t code = 0;      ///< one_N is 0x10 bytes here, two_N 0x10 at +0x20 and 8 at +0x40
};

class SplitDwarf {
 public:
  /// @param version  5, or 4 with GNU's extensions
  SplitDwarf(std::uint16_t version, const std::vector<SplitUnitSpec>& units) : version_(version) {
    for (std::size_t i = 0; i < units.size(); ++i) add(units[i], std::to_string(i));
    main.info = keep(info_.finish());
    main.abbrev = keep(skeleton_abbrev());
    main.addr = keep(addr_.finish());
    main.ranges = keep(ranges_.finish());
  }
  SplitDwarf(const SplitDwarf&) = delete;

  dwarf::Sections main;
  std::vector<dwarf::Sections> split;

  /// Views the bytes, which live as long as this.
  Bytes keep(std::vector<std::byte> bytes) { return kept_.emplace_back(std::move(bytes)); }

 private:
  static constexpr std::uint8_t kSkeleton = 4, kSplit = 5;

  void add(const SplitUnitSpec& unit, const std::string& number) {
    const auto addr_base = static_cast<std::uint32_t>(addr_.size() + (version_ == 5 ? 8 : 0));
    if (version_ == 5) addr_.u32(4 + 4 * 8).u16(5).u8(8).u8(0);
    for (const std::uint64_t at : {unit.code, unit.code + 0x20, unit.code + 0x40}) addr_.u64(at);
    const auto ranges_base = static_cast<std::uint32_t>(ranges_.size());
    ranges_.u64(0x20).u64(0x30).u64(0x40).u64(0x48).u64(0).u64(0);  // from the skeleton's low_pc

    Section body = header(kSkeleton, unit.id);
    body.u8(1).u64(unit.code).c_string("unit" + number + ".dwo").c_string("/build").u32(addr_base);
    if (version_ == 4) body.u64(unit.id).u32(ranges_base);
    info_.u32(static_cast<std::uint32_t>(body.size())).bytes(body.finish());
    split.push_back(split_unit(unit, number));
  }
  Section header(std::uint8_t type, std::uint64_t id) const {
    Section body;
    body.u16(version_);
    if (version_ == 5) return body.u8(type).u8(8).u32(0).u64(id);
    return body.u32(0).u8(8);
  }
  std::vector<std::byte> skeleton_abbrev() const {
    Section out;
    if (version_ == 5) {
      out.u8(1).u8(0x4A).u8(0);                                              // a skeleton unit
      out.u8(0x11).u8(0x01).u8(0x76).u8(0x08);                               // low_pc; dwo_name
      return out.u8(0x1B).u8(0x08).u8(0x73).u8(0x17).u16(0).u8(0).finish();  // comp_dir; addr_base
    }
    out.u8(1).u8(0x11).u8(0);  // a compilation unit
    out.u8(0x11).u8(0x01).u8(0xB0).u8(0x42).u8(0x08);
    out.u8(0x1B).u8(0x08).u8(0xB3).u8(0x42).u8(0x17);
    return out.u8(0xB1).u8(0x42).u8(0x07).u8(0xB2).u8(0x42).u8(0x17).u16(0).u8(0).finish();  // dwo_id; ranges_base
  }
  std::vector<std::byte> split_abbrev() const {
    Section out;
    if (version_ == 5) {
      out.u8(1).u8(0x11).u8(1).u8(0x13).u8(0x0B).u16(0);  // language
      out.u8(2).u8(0x2E).u8(0).u8(0x03).u8(0x25).u8(0x11).u8(0x29).u8(0x12).u8(0x06).u16(0);
      return out.u8(3).u8(0x2E).u8(0).u8(0x03).u8(0x25).u8(0x55).u8(0x23).u16(0).u8(0).finish();
    }
    out.u8(1).u8(0x11).u8(1).u8(0x13).u8(0x0B).u8(0xB1).u8(0x42).u8(0x07).u16(0);
    out.u8(2).u8(0x2E).u8(0).u8(0x03).u8(0x82).u8(0x3E).u8(0x11).u8(0x81).u8(0x3E).u8(0x12).u8(0x06).u16(0);
    return out.u8(3).u8(0x2E).u8(0).u8(0x03).u8(0x82).u8(0x3E).u8(0x55).u8(0x17).u16(0).u8(0).finish();
  }
  dwarf::Sections split_unit(const SplitUnitSpec& unit, const std::string& number) {
    Section body = header(kSplit, unit.split_id);
    body.u8(1).u8(0x04);  // C++
    if (version_ == 4) body.u64(unit.split_id);
    body.u8(2).u8(0).u8(0).u32(0x10);  // text 0, address 0
    body.u8(3).u8(1);                  // text 1
    if (version_ == 5) body.u8(0);     // list 0
    else body.u32(0);
    body.u8(0);
    Section offsets;
    if (version_ == 5) offsets.u32(12).u16(5).u16(0);
    offsets.u32(0).u32(static_cast<std::uint32_t>(number.size()) + 5);
    Section lists;  // one list of two startx_length
    lists.u32(8 + 4 + 7).u16(5).u8(8).u8(0).u32(1).u32(4);
    lists.u8(3).u8(1).u8(0x10).u8(3).u8(2).u8(8).u8(0);
    dwarf::Sections out{.split = true};
    out.info = keep(Section().u32(static_cast<std::uint32_t>(body.size())).bytes(body.finish()).finish());
    out.abbrev = keep(split_abbrev());
    out.str = keep(Section().c_string("one_" + number).c_string("two_" + number).finish());
    out.str_offsets = keep(offsets.finish());
    if (version_ == 5) out.rnglists = keep(lists.finish());
    return out;
  }

  std::uint16_t version_;
  Section info_, addr_, ranges_;
  std::deque<std::vector<std::byte>> kept_;
};

}  // namespace symcached::testkit
