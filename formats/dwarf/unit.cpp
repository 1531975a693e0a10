#include "formats/dwarf/unit.hpp"

#include <algorithm>

namespace symcached::dwarf {
namespace {

bool is_known(UnitType type) { return type >= UnitType::compile && type <= UnitType::split_type; }

template <bool Big>
Read<UnitHeader> read_header(Bytes section, std::uint64_t offset, bool type_section) {
  Cursor<Big> in(section, offset);
  UnitHeader header{.offset = offset};
  const InitialLength initial = in.initial_length();
  if (in.failed()) return truncated("dwarf.unit_length", offset, 12, section.size() - offset);
  if (initial.length > in.left()) return truncated("dwarf.unit_length", offset, initial.length, in.left());
  header.end = in.position() + initial.length;
  header.encoding.offset_size = initial.offset_size;
  header.encoding.version = in.u16();
  if (header.encoding.version < 2 || header.encoding.version > 5)
    return bad_value("dwarf.unit.version", offset, header.encoding.version, 5);
  if (header.encoding.version == 5) {
    header.type = static_cast<UnitType>(in.u8());
    header.encoding.address_size = in.u8();
    header.abbrevs = in.offset(initial.offset_size);
  } else {
    header.abbrevs = in.offset(initial.offset_size);
    header.encoding.address_size = in.u8();
    if (type_section) header.type = UnitType::type;
  }
  if (!is_known(header.type)) return header;
  if (header.type != UnitType::compile && header.type != UnitType::partial) header.id = in.u64();
  if (header.type == UnitType::type || header.type == UnitType::split_type) in.offset(initial.offset_size);
  const std::uint8_t size = header.encoding.address_size;
  if (size != 2 && size != 4 && size != 8) return bad_value("dwarf.unit.address_size", offset, size, 8);
  header.entries = in.position();
  if (in.failed() || header.entries > header.end)
    return truncated("dwarf.unit_header", offset, header.entries - offset, header.end - offset);
  return header;
}

/// Padding between the contributions of object files. At the end of the section there may be less than 4 bytes of it.
bool is_padding(Bytes section, std::uint64_t at) {
  return std::ranges::all_of(section.subspan(at, std::min<std::size_t>(4, section.size() - at)),
                             [](std::byte b) { return b == std::byte{0}; });
}

template <bool Big>
UnitEnds unit_ends(Bytes start) {
  constexpr std::uint64_t kShort = 4, kLong = 12;  // of the two kinds of lengths
  UnitEnds ends;
  while (ends.whole < start.size()) {
    const std::uint64_t at = ends.whole, there = start.size() - at;
    if (is_padding(start, at)) {
      ends.next = at + kShort;
    } else {
      Cursor<Big> in(start, at);
      const InitialLength initial = in.initial_length();
      const bool is_long = there >= kShort && Cursor<Big>(start, at).u32() == 0xFFFFFFFF;
      if (in.failed()) ends.next = at + (is_long ? kLong : kShort);
      else ends.next = initial.length > ~in.position() ? ~std::uint64_t{0} : in.position() + initial.length;
    }
    if (ends.next > start.size()) return ends;
    ends.whole = ends.next;
  }
  return ends;
}

std::uint64_t mask_of(const Encoding& encoding) {
  return encoding.address_size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << encoding.address_size * 8) - 1;
}

std::optional<std::uint64_t> fixed_at(Bytes section, std::uint64_t offset, unsigned size, bool big) {
  if (offset > section.size() || size > section.size() - offset) return std::nullopt;
  if (big) return Cursor<true>(section, offset).fixed_size(size);
  return Cursor<false>(section, offset).fixed_size(size);
}

bool is_address(Form form) {
  switch (form) {
    case Form::addr:
    case Form::addrx:
    case Form::addrx1:
    case Form::addrx2:
    case Form::addrx3:
    case Form::addrx4:
    case Form::gnu_addr_index:
    case Form::llvm_addrx_offset: return true;
    default: return false;
  }
}

/// Index times size behind a base, without wrapping around.
std::optional<std::uint64_t> element(std::uint64_t base, std::uint64_t index, unsigned size) {
  if (index > (~std::uint64_t{0} - base) / size) return std::nullopt;
  return base + index * size;
}

/// Reads one list. Bases of DWARF 2 to 4 and of 5 differ only in how entries say what they are.
class RangeReader {
 public:
  RangeReader(const Unit& unit, std::vector<Range>& out)
      : unit_(unit), out_(out), mask_(mask_of(unit.header.encoding)), base_(unit.low_pc.value_or(0)) {}

  template <bool Big>
  bool old_list(Cursor<Big>& in) {
    const unsigned size = unit_.header.encoding.address_size;
    for (;;) {
      const std::uint64_t low = in.fixed_size(size), high = in.fixed_size(size);
      if (in.failed()) return false;
      if (low == 0 && high == 0) return true;
      if (low == mask_) base_ = high;
      else add(base_ + low, base_ + high);
    }
  }

  template <bool Big>
  bool new_list(Cursor<Big>& in) {
    for (;;) {
      const auto kind = static_cast<RangeEntry>(in.u8());
      if (in.failed()) return false;
      if (kind == RangeEntry::end_of_list) return true;
      if (!entry(in, kind) || in.failed()) return false;
    }
  }

 private:
  template <bool Big>
  bool entry(Cursor<Big>& in, RangeEntry kind) {
    const unsigned size = unit_.header.encoding.address_size;
    switch (kind) {
      case RangeEntry::end_of_list: return true;
      case RangeEntry::base_address: base_ = in.fixed_size(size); return true;
      case RangeEntry::offset_pair: {
        const std::uint64_t low = in.uleb(), high = in.uleb();
        return add(base_ + low, base_ + high);
      }
      case RangeEntry::start_end: {
        const std::uint64_t low = in.fixed_size(size);
        return add(low, in.fixed_size(size));
      }
      case RangeEntry::start_length: {
        const std::uint64_t low = in.fixed_size(size);
        return add(low, low + in.uleb());
      }
      case RangeEntry::base_addressx: {
        const auto base = unit_.address_at(in.uleb());
        base_ = base.value_or(0);
        return base.has_value();
      }
      case RangeEntry::startx_endx: {
        const auto low = unit_.address_at(in.uleb()), high = unit_.address_at(in.uleb());
        return low && high && add(*low, *high);
      }
      case RangeEntry::startx_length: {
        const auto low = unit_.address_at(in.uleb());
        const std::uint64_t length = in.uleb();
        return low && add(*low, *low + length);
      }
    }
    return false;
  }

  bool add(std::uint64_t low, std::uint64_t high) {
    low &= mask_;
    high &= mask_;
    if (low < high) out_.push_back({low, high});
    return true;
  }

  const Unit& unit_;
  std::vector<Range>& out_;
  std::uint64_t mask_, base_;
};

}  // namespace

std::optional<std::string_view> text_at(Bytes section, std::uint64_t offset) {
  LittleCursor in(section, offset);
  const std::string_view text = in.c_string();
  if (in.failed()) return std::nullopt;
  return text;
}

Read<std::vector<UnitHeader>> read_unit_headers(Bytes section, bool big_endian, bool type_section) {
  std::vector<UnitHeader> units;
  for (std::uint64_t at = 0; at < section.size();) {
    if (is_padding(section, at)) {
      at += 4;
      continue;
    }
    SC_TRY(const UnitHeader header,
           big_endian ? read_header<true>(section, at, type_section) : read_header<false>(section, at, type_section));
    if (is_known(header.type)) units.push_back(header);
    at = header.end;
  }
  return units;
}

UnitEnds find_unit_ends(Bytes start, bool big_endian) {
  return big_endian ? unit_ends<true>(start) : unit_ends<false>(start);
}

Read<void> Unit::open() {
  const auto read_root = [&]<bool Big>(Cursor<Big> in) -> Read<void> {
    const std::uint64_t code = in.uleb();
    if (code == 0) return {};  // a unit without entries
    const Abbrev* abbrev = abbrevs->find(code);
    if (abbrev == nullptr) return bad_value("dwarf.die.abbrev", sections->info_start + header.entries, code);
    read_values(in, *abbrevs, *abbrev, header.encoding, root);
    if (in.failed())
      return truncated("dwarf.die", sections->info_start + header.entries, header.end - header.entries + 1, 0);
    tag = abbrev->tag;
    has_children = abbrev->has_children;
    children = in.position();
    return {};
  };
  const Bytes entries = sections->info.first(header.end);
  const auto ok = sections->big_endian ? read_root(Cursor<true>(entries, header.entries))
                                       : read_root(Cursor<false>(entries, header.entries));
  if (!ok) return ok;
  // Split units of DWARF 5 leave the bases out: their tables start behind one header.
  const std::uint64_t first = header.encoding.version >= 5 && sections->split ? 2 * header.encoding.offset_size : 0;
  str_offsets_base = root.number(Slot::str_offsets_base, first);
  rnglists_base = root.number(Slot::rnglists_base, header.encoding.offset_size == 8 && sections->split ? 20
                                                   : sections->split && header.encoding.version >= 5   ? 12
                                                                                                       : 0);
  if (const Value* base = root.find(Slot::addr_base)) addr_base = base->number;
  if (const Value* low = root.find(Slot::low_pc)) low_pc = address(*low);
  return {};
}

std::optional<std::uint64_t> Unit::address_at(std::uint64_t index) const {
  const unsigned size = header.encoding.address_size;
  const auto offset = element(addr_base, index, size);
  return offset ? fixed_at(addr, *offset, size, sections->big_endian) : std::nullopt;
}

std::optional<std::uint64_t> Unit::address(const Value& value) const {
  switch (value.form) {
    case Form::addr: return value.number;
    case Form::addrx:
    case Form::addrx1:
    case Form::addrx2:
    case Form::addrx3:
    case Form::addrx4:
    case Form::gnu_addr_index: return address_at(value.number);
    case Form::llvm_addrx_offset: {
      const auto start = address_at(value.number & 0xFFFFFFFF);
      return start ? std::optional(*start + (value.number >> 32)) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::optional<std::uint64_t> Unit::str_offset(const Value& value) const {
  switch (value.form) {
    case Form::strp: return value.number;
    case Form::strx:
    case Form::strx1:
    case Form::strx2:
    case Form::strx3:
    case Form::strx4:
    case Form::gnu_str_index: {
      const unsigned size = header.encoding.offset_size;
      const auto at = element(str_offsets_base, value.number, size);
      return at ? fixed_at(sections->str_offsets, *at, size, sections->big_endian) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

std::optional<std::string_view> Unit::text(const Value& value) const {
  if (value.form == Form::string) return std::string_view(value.text, value.number);
  if (value.form == Form::line_strp) return text_at(sections->line_str, value.number);
  const auto offset = str_offset(value);
  return offset ? text_at(sections->str, *offset) : std::nullopt;
}

namespace {

template <bool Big>
RangesRead list_of(const Unit& unit, std::uint64_t offset, std::vector<Range>& out) {
  RangeReader reader(unit, out);
  const bool old = unit.header.encoding.version < 5;
  Cursor<Big> in(old ? unit.ranges : unit.sections->rnglists, offset);
  const std::size_t start = in.position();
  const bool whole = old ? reader.old_list(in) : reader.new_list(in);
  return {whole, in.position() - start};
}

/// Where the list starts that the value names.
std::optional<std::uint64_t> list_offset(const Unit& unit, const Value& list) {
  if (unit.header.encoding.version < 5) return list.number + (unit.sections->split ? unit.ranges_base : 0);
  if (list.form != Form::rnglistx) return list.number;
  const unsigned size = unit.header.encoding.offset_size;
  const auto at = element(unit.rnglists_base, list.number, size);
  const auto relative = at ? fixed_at(unit.sections->rnglists, *at, size, unit.sections->big_endian) : std::nullopt;
  if (!relative || *relative > ~unit.rnglists_base) return std::nullopt;
  return unit.rnglists_base + *relative;
}

}  // namespace

RangesRead append_ranges(const Unit& unit, const Values& values, std::vector<Range>& out) {
  if (const Value* list = values.find(Slot::ranges)) {
    const auto offset = list_offset(unit, *list);
    if (!offset) return {.whole = false};
    return unit.sections->big_endian ? list_of<true>(unit, *offset, out) : list_of<false>(unit, *offset, out);
  }
  const Value *low = values.find(Slot::low_pc), *high = values.find(Slot::high_pc);
  if (low == nullptr || high == nullptr) return {};
  const auto start = unit.address(*low);
  const auto end = !start || is_address(high->form) ? unit.address(*high) : *start + high->number;
  if (!start || !end) return {.whole = false};
  if (*start < *end) out.push_back({*start, *end});
  return {};
}

}  // namespace symcached::dwarf
