#pragma once
/// DWARF units assembled from trees of entries: every version, width and byte order, every form.
///
///   DwarfImage image({.version = 4});
///   image.unit(entry(Tag::compile_unit, {string(At::name, "a.c")},
///                    {function("main", 0x1000, 0x20), function("leaf", 0x1020, 8)}));
///   const DwarfBytesOf done = image.finish();  // done.sections views into it
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/dwarf/abbrev.hpp"
#include "formats/dwarf/sections.hpp"
#include "testing/dwarf/line.hpp"

namespace symcached::testkit {

struct Attribute {
  dwarf::At at{};
  dwarf::Form form{};
  std::uint64_t number = 0;
  std::string text = {};   ///< of strings and blocks
  std::string to = {};     ///< of references: the label of an entry
  dwarf::Form inner = {};  ///< of Form::indirect: what stands in the entry
};

inline Attribute data(dwarf::At at, std::uint64_t number, dwarf::Form form = dwarf::Form::udata) {
  return {at, form, number};
}
inline Attribute address(dwarf::At at, std::uint64_t value) { return {at, dwarf::Form::addr, value}; }
inline Attribute string(dwarf::At at, std::string_view text) {
  return {.at = at, .form = dwarf::Form::string, .text = std::string(text)};
}
inline Attribute reference(dwarf::At at, std::string_view label, dwarf::Form form = dwarf::Form::ref4) {
  return {.at = at, .form = form, .to = std::string(label)};
}
inline Attribute indirect(Attribute attribute) {
  attribute.inner = std::exchange(attribute.form, dwarf::Form::indirect);
  return attribute;
}

struct Entry {
  dwarf::Tag tag{};
  std::vector<Attribute> attributes = {};
  std::vector<Entry> children = {};
  std::string label = {};
  bool unended = false;  ///< no null entry behind the children

  Entry& named(std::string_view name) { return label = name, *this; }
};

inline Entry entry(dwarf::Tag tag, std::vector<Attribute> attributes, std::vector<Entry> children = {},
                   std::string_view label = {}) {
  return {tag, std::move(attributes), std::move(children), std::string(label)};
}
inline Entry unit_entry(std::vector<Attribute> attributes, std::vector<Entry> children) {
  return entry(dwarf::Tag::compile_unit, std::move(attributes), std::move(children));
}
inline Entry function(std::string_view name, std::uint64_t low, std::uint64_t size, std::vector<Entry> children = {}) {
  using dwarf::At;
  std::vector<Attribute> attributes = {address(At::low_pc, low), data(At::high_pc, size, dwarf::Form::data4)};
  if (!name.empty()) attributes.push_back(string(At::name, name));
  return entry(dwarf::Tag::subprogram, std::move(attributes), std::move(children));
}
/// A call with its own name, at line:column of file.
inline Entry inlined(std::string_view name, std::uint64_t low, std::uint64_t size, std::uint64_t file,
                     std::uint64_t line, std::vector<Entry> children = {}) {
  using dwarf::At;
  Entry call = function(name, low, size, std::move(children));
  call.tag = dwarf::Tag::inlined_subroutine;
  call.attributes.push_back(data(At::call_file, file));
  call.attributes.push_back(data(At::call_line, line));
  return call;
}

struct UnitSpec {
  dwarf::UnitType type = dwarf::UnitType::compile;
  std::uint64_t id = 0;  ///< of skeletons, split units and type units
};

/// The sections that were assembled; `sections` views into the vectors, so this is moved, not copied.
struct DwarfBytesOf {
  std::vector<std::byte> info, abbrev, str, line_str, addr, str_offsets, ranges, rnglists, line;
  dwarf::Sections sections;
};

class DwarfImage {
 public:
  struct Format {
    std::uint16_t version = 5;
    bool big = false;
    std::uint8_t offset_size = 4;
    std::uint8_t address_size = 8;
  };

  DwarfImage() : DwarfImage(Format{}) {}
  explicit DwarfImage(const Format& format)
      : str(format.big),
        line_str(format.big),
        addr(format.big),
        str_offsets(format.big),
        ranges(format.big),
        rnglists(format.big),
        line(format.big),
        format_(format),
        abbrev_(format.big),
        info_(format.big) {}

  /// Offset of the text in .debug_str.
  std::uint64_t text(std::string_view value) {
    const std::uint64_t at = str.size();
    str.c_string(value);
    return at;
  }
  /// An address in the width of the format.
  void put_address(DwarfBytes& to, std::uint64_t value) const { put(to, format_.address_size, value); }

  DwarfImage& unit(const Entry& root, const UnitSpec& spec = {}) {
    using dwarf::UnitType;
    const std::size_t start = info_.size() + (format_.offset_size == 8 ? 12 : 4);
    DwarfBytes unit(format_.big);
    unit.u16(format_.version);
    if (format_.version >= 5) unit.u8(static_cast<std::uint8_t>(spec.type)).u8(format_.address_size);
    unit.offset(0, format_.offset_size);
    if (format_.version < 5) unit.u8(format_.address_size);
    const bool is_type = spec.type == UnitType::type || spec.type == UnitType::split_type;
    if (spec.type != UnitType::compile && spec.type != UnitType::partial) unit.u64(spec.id);
    if (is_type) unit.offset(0, format_.offset_size);
    unit_start_ = info_.size();
    put_entry(unit, root, start);
    info_.unit(unit, format_.offset_size);
    return *this;
  }
  DwarfImage& padding(std::size_t bytes) {
    for (; bytes != 0; --bytes) info_.u8(0);
    return *this;
  }
  std::size_t info_size() const { return info_.size(); }
  /// Where a labelled entry stands in .debug_info.
  std::uint64_t at(std::string_view label) const { return labels_.at(std::string(label)); }

  DwarfBytesOf finish() const {
    DwarfBytesOf out;
    out.info = patched();
    DwarfBytes abbrev = abbrev_;
    out.abbrev = abbrev.u8(0).finish();
    out.str = str.finish(), out.line_str = line_str.finish(), out.addr = addr.finish();
    out.str_offsets = str_offsets.finish(), out.ranges = ranges.finish(), out.rnglists = rnglists.finish();
    out.line = line.finish();
    out.sections = {.info = out.info,
                    .abbrev = out.abbrev,
                    .line = out.line,
                    .str = out.str,
                    .line_str = out.line_str,
                    .str_offsets = out.str_offsets,
                    .addr = out.addr,
                    .ranges = out.ranges,
                    .rnglists = out.rnglists,
                    .big_endian = format_.big};
    return out;
  }

  DwarfBytes str, line_str, addr, str_offsets, ranges, rnglists, line;  ///< filled by the test

 private:
  struct Patch {
    std::size_t position, unit;
    unsigned width;  ///< 0: a LEB128 number of four bytes
    bool global;     ///< counted from the section's start
    std::string to;
  };
  static void put(DwarfBytes& to, unsigned size, std::uint64_t value) {
    for (unsigned i = 0; i < size; ++i) to.u8(static_cast<std::uint8_t>(value >> 8 * (to.big() ? size - 1 - i : i)));
  }
  /// Declares the entry's shape once, and gives its code.
  std::uint64_t code_of(const Entry& entry) {
    DwarfBytes shape;
    shape.uleb(static_cast<std::uint64_t>(entry.tag)).u8(!entry.children.empty() || entry.unended);
    for (const Attribute& a : entry.attributes) {
      shape.uleb(static_cast<std::uint64_t>(a.at)).uleb(static_cast<std::uint64_t>(a.form));
      if (a.form == dwarf::Form::implicit_const) shape.sleb(static_cast<std::int64_t>(a.number));
    }
    const auto bytes = shape.u16(0).finish();
    const auto [at, added] = codes_.try_emplace(std::string(as_text(bytes)), codes_.size() + 1);
    if (added) abbrev_.uleb(at->second).bytes(bytes);
    return at->second;
  }
  void put_entry(DwarfBytes& out, const Entry& entry, std::size_t start) {
    if (!entry.label.empty()) labels_[entry.label] = start + out.size();
    out.uleb(code_of(entry));
    for (const Attribute& a : entry.attributes) {
      if (a.form == dwarf::Form::indirect) out.uleb(static_cast<std::uint64_t>(a.inner));
      put_value(out, a, a.form == dwarf::Form::indirect ? a.inner : a.form, start);
    }
    for (const Entry& child : entry.children) put_entry(out, child, start);
    if (!entry.children.empty() && !entry.unended) out.u8(0);
  }
  void put_value(DwarfBytes& out, const Attribute& a, dwarf::Form form, std::size_t start) {
    using dwarf::Form;
    const int size = dwarf::fixed_size_of(form, {format_.version, format_.address_size, format_.offset_size});
    if (!a.to.empty()) {
      const bool global = form == Form::ref_addr || form == Form::gnu_ref_alt || form == Form::ref_sup4;
      patches_.push_back({start + out.size(), unit_start_, static_cast<unsigned>(std::max(size, 0)), global, a.to});
      if (size < 0) out.u8(0x80).u8(0x80).u8(0x80).u8(0);
      else put(out, static_cast<unsigned>(size), 0);
      return;
    }
    const auto length = static_cast<std::uint32_t>(a.text.size());
    switch (form) {
      case Form::string: out.c_string(a.text); return;
      case Form::sdata: out.sleb(static_cast<std::int64_t>(a.number)); return;
      case Form::block1: out.u8(static_cast<std::uint8_t>(length)).bytes(as_bytes(a.text)); return;
      case Form::block2: out.u16(static_cast<std::uint16_t>(length)).bytes(as_bytes(a.text)); return;
      case Form::block4: out.u32(length).bytes(as_bytes(a.text)); return;
      case Form::block:
      case Form::exprloc: out.uleb(length).bytes(as_bytes(a.text)); return;
      case Form::llvm_addrx_offset:
        out.uleb(a.number & 0xFFFFFFFF).u32(static_cast<std::uint32_t>(a.number >> 32));
        return;
      default: break;
    }
    if (size < 0) out.uleb(a.number);
    else if (size <= 8) put(out, static_cast<unsigned>(size), a.number);
    else out.u64(a.number).u64(0);
  }
  std::vector<std::byte> patched() const {
    std::vector<std::byte> bytes = info_.finish();
    for (const Patch& patch : patches_) {
      const std::uint64_t value = labels_.at(patch.to) - (patch.global ? 0 : patch.unit);
      const unsigned width = patch.width == 0 ? 4 : patch.width;
      for (unsigned i = 0; i < width; ++i) {
        const unsigned place = format_.big && patch.width != 0 ? width - 1 - i : i;
        std::byte& byte = bytes[patch.position + place];
        if (patch.width == 0) byte |= static_cast<std::byte>(value >> 7 * i & 0x7F);
        else byte = static_cast<std::byte>(value >> 8 * i);
      }
    }
    return bytes;
  }

  Format format_;
  DwarfBytes abbrev_, info_;
  std::map<std::string, std::uint64_t> codes_, labels_;
  std::vector<Patch> patches_;
  std::size_t unit_start_ = 0;
};

}  // namespace symcached::testkit
