#include "formats/dwarf/abbrev.hpp"

#include <algorithm>
#include <utility>

#include "formats/dwarf/cursor.hpp"

namespace symcached::dwarf {
namespace {

Slot slot_of(std::uint64_t attribute) {
  if (attribute > 0xFFFF) return Slot::none;
  switch (static_cast<At>(attribute)) {
    case At::name: return Slot::name;
    case At::linkage_name:
    case At::mips_linkage_name: return Slot::linkage_name;
    case At::low_pc: return Slot::low_pc;
    case At::high_pc: return Slot::high_pc;
    case At::ranges: return Slot::ranges;
    case At::entry_pc: return Slot::entry_pc;
    case At::abstract_origin: return Slot::abstract_origin;
    case At::specification: return Slot::specification;
    case At::call_file: return Slot::call_file;
    case At::call_line: return Slot::call_line;
    case At::call_column: return Slot::call_column;
    case At::stmt_list: return Slot::stmt_list;
    case At::comp_dir: return Slot::comp_dir;
    case At::language: return Slot::language;
    case At::str_offsets_base: return Slot::str_offsets_base;
    case At::addr_base:
    case At::gnu_addr_base: return Slot::addr_base;
    case At::rnglists_base: return Slot::rnglists_base;
    case At::gnu_ranges_base: return Slot::gnu_ranges_base;
    case At::dwo_name:
    case At::gnu_dwo_name: return Slot::dwo_name;
    case At::gnu_dwo_id: return Slot::dwo_id;
    case At::sibling: break;
  }
  return Slot::none;
}

/// Attributes are picked out of entries that are code or units; elsewhere they are only in the way.
bool is_read(Tag tag) {
  switch (tag) {
    case Tag::subprogram:
    case Tag::inlined_subroutine:
    case Tag::compile_unit:
    case Tag::partial_unit:
    case Tag::type_unit:
    case Tag::skeleton_unit: return true;
    default: return false;
  }
}

/// Entries whose children are never code: functions of a class have their code outside of it.
bool is_type(Tag tag) {
  switch (tag) {
    case Tag::array_type:
    case Tag::class_type:
    case Tag::enumeration_type:
    case Tag::structure_type:
    case Tag::subroutine_type:
    case Tag::union_type: return true;
    default: return false;
  }
}

/// The step over a form of no fixed size.
Step::Kind step_over(Form form) {
  switch (form) {
    case Form::string: return Step::Kind::text;
    case Form::block1: return Step::Kind::block1;
    case Form::block2: return Step::Kind::block2;
    case Form::block4: return Step::Kind::block4;
    case Form::block:
    case Form::exprloc: return Step::Kind::block;
    case Form::indirect: return Step::Kind::indirect;
    default: return Step::Kind::leb;
  }
}

/// One declaration on its way into the table.
struct Declaration {
  Abbrev abbrev;
  std::vector<Step> steps, skips;  ///< steps: only of entries whose attributes are read

  Read<void> read(LittleCursor& in, const Encoding& encoding) {
    steps.clear();
    skips.clear();
    seen_ = 0;
    const std::uint64_t tag = in.uleb();
    abbrev = {.tag = tag > 0xFFFF ? Tag::none : static_cast<Tag>(tag)};
    abbrev.has_children = in.u8() != 0;
    bool has_addresses = false;
    for (;;) {
      const std::uint64_t attribute = in.uleb();
      const std::uint64_t form = in.uleb();
      if (in.failed()) return {};  // the caller sees it
      if (attribute == 0 && form == 0) break;
      if (form > 0xFFFF || !is_known(static_cast<Form>(form)))
        return bad_value("dwarf.abbrev.form", in.position(), form);
      if (attribute == static_cast<std::uint64_t>(At::sibling)) note_sibling(static_cast<Form>(form));
      const Slot slot = slot_of(attribute);
      has_addresses |= slot == Slot::low_pc || slot == Slot::ranges;
      add(slot, static_cast<Form>(form), encoding, in);
    }
    // An entry without bytes must not cost as many steps as a declaration has attributes: it has one for each slot.
    abbrev.is_code = has_addresses && (abbrev.tag == Tag::subprogram || abbrev.tag == Tag::inlined_subroutine);
    abbrev.all_fixed = skips.empty() || (skips.size() == 1 && skips[0].kind == Step::Kind::fixed);
    abbrev.fixed_size = abbrev.all_fixed && !skips.empty() ? static_cast<std::uint32_t>(skips[0].operand) : 0;
    return {};
  }

 private:
  /// Only where everything before it has a fixed size, as it does in what GCC writes.
  void note_sibling(Form form) {
    if (form != Form::ref4 || !is_type(abbrev.tag) || abbrev.sibling != kNoSibling) return;
    const bool is_first = skips.empty();
    if (!is_first && (skips.size() > 1 || skips[0].kind != Step::Kind::fixed)) return;
    const std::uint64_t at = is_first ? 0 : skips[0].operand;
    if (at < kNoSibling) abbrev.sibling = static_cast<std::uint16_t>(at);
  }
  Slot first_time(Slot slot) {
    if (slot == Slot::none) return slot;
    const std::uint32_t bit = 1u << static_cast<unsigned>(slot);
    return (std::exchange(seen_, seen_ | bit) & bit) == 0 ? slot : Slot::none;
  }
  void add(Slot slot, Form form, const Encoding& encoding, LittleCursor& in) {
    const std::uint64_t implicit = form == Form::implicit_const ? static_cast<std::uint64_t>(in.sleb()) : 0;
    const int size = fixed_size_of(form, encoding);
    const Step skip =
        size >= 0 ? Step{.operand = static_cast<std::uint64_t>(size)} : Step{.kind = step_over(form), .form = form};
    add_to(skips, skip);
    if (form == Form::llvm_addrx_offset) add_to(skips, {.operand = 4});
    if (!is_read(abbrev.tag)) return;
    slot = first_time(slot);
    if (slot == Slot::none) {
      add_to(steps, skip);
      if (form == Form::llvm_addrx_offset) add_to(steps, {.operand = 4});
    } else if (form == Form::implicit_const) {
      steps.push_back({Step::Kind::implicit, slot, form, implicit});
    } else {
      const bool is_fixed = size >= 1 && size <= 8;  // data16 is no number here
      const Step::Kind kind = form == Form::indirect ? Step::Kind::indirect
                              : is_fixed             ? Step::Kind::read_fixed
                                                     : Step::Kind::read;
      steps.push_back({kind, slot, form, is_fixed ? static_cast<std::uint64_t>(size) : 0});
    }
  }
  static void add_to(std::vector<Step>& to, const Step& step) {
    if (step.kind != Step::Kind::fixed || to.empty() || to.back().kind != Step::Kind::fixed) {
      if (step.kind != Step::Kind::fixed || step.operand != 0) to.push_back(step);
    } else {
      to.back().operand += step.operand;
    }
  }

  std::uint32_t seen_ = 0;  ///< a bit for each slot
};

}  // namespace

bool is_known(Form form) {
  const auto number = static_cast<std::uint16_t>(form);
  return (number >= 0x01 && number <= 0x2c && number != 0x02) || form == Form::gnu_addr_index ||
         form == Form::gnu_str_index || form == Form::gnu_ref_alt || form == Form::gnu_strp_alt ||
         form == Form::llvm_addrx_offset;
}

int fixed_size_of(Form form, const Encoding& encoding) {
  switch (form) {
    case Form::flag_present:
    case Form::implicit_const: return 0;
    case Form::data1:
    case Form::flag:
    case Form::ref1:
    case Form::strx1:
    case Form::addrx1: return 1;
    case Form::data2:
    case Form::ref2:
    case Form::strx2:
    case Form::addrx2: return 2;
    case Form::strx3:
    case Form::addrx3: return 3;
    case Form::data4:
    case Form::ref4:
    case Form::ref_sup4:
    case Form::strx4:
    case Form::addrx4: return 4;
    case Form::data8:
    case Form::ref8:
    case Form::ref_sig8:
    case Form::ref_sup8: return 8;
    case Form::data16: return 16;
    case Form::addr: return encoding.address_size;
    case Form::ref_addr: return encoding.version <= 2 ? encoding.address_size : encoding.offset_size;
    case Form::strp:
    case Form::sec_offset:
    case Form::strp_sup:
    case Form::line_strp:
    case Form::gnu_ref_alt:
    case Form::gnu_strp_alt: return encoding.offset_size;
    default: return -1;
  }
}

Read<AbbrevTable> AbbrevTable::read(Bytes section, std::uint64_t at, const Encoding& encoding) {
  AbbrevTable table;
  Declaration declaration;
  if (at > section.size()) return truncated("dwarf.unit.abbrev_offset", 0, at, section.size());
  const Bytes bytes = section.subspan(at, std::min<std::uint64_t>(kMaxAbbrevTable, section.size() - at));
  LittleCursor in(bytes);  // bytes and LEB128 alone: no byte order
  while (const std::uint64_t code = in.uleb()) {
    if (auto ok = declaration.read(in, encoding); !ok) {
      ok.error().offset += at;
      return std::unexpected(ok.error());
    }
    if (in.failed()) break;
    Abbrev abbrev = declaration.abbrev;
    const auto append = [&](const std::vector<Step>& steps, std::uint32_t& first, std::uint32_t& count) {
      first = static_cast<std::uint32_t>(table.steps_.size());
      count = static_cast<std::uint32_t>(steps.size());
      table.steps_.insert(table.steps_.end(), steps.begin(), steps.end());
    };
    append(declaration.skips, abbrev.first_skip, abbrev.skip_count);
    if (is_read(abbrev.tag)) append(declaration.steps, abbrev.first_step, abbrev.step_count);
    else abbrev.first_step = abbrev.first_skip, abbrev.step_count = abbrev.skip_count;
    if (code == table.dense_.size() + 1) table.dense_.push_back(abbrev);
    else table.sparse_.emplace_back(code, abbrev);
  }
  if (in.failed() && bytes.size() == kMaxAbbrevTable)
    return too_large("dwarf.abbrev", at, section.size() - at, kMaxAbbrevTable);
  if (in.failed()) return truncated("dwarf.abbrev", at, bytes.size() + 1, bytes.size());
  table.bytes_ = in.position();
  std::ranges::stable_sort(table.sparse_, {}, [](const auto& entry) { return entry.first; });
  return table;
}

bool may_name_other_units(Bytes section) {
  LittleCursor in(section);
  while (!in.at_end()) {
    if (in.uleb() == 0) continue;  // the end of a table
    in.skip_leb();                 // tag
    in.u8();                       // has children
    for (;;) {
      const std::uint64_t attribute = in.uleb(), form = in.uleb();
      if (in.failed()) return true;
      if (attribute == 0 && form == 0) break;
      if (form == static_cast<std::uint64_t>(Form::implicit_const)) in.skip_leb();
      if (form == static_cast<std::uint64_t>(Form::ref_addr) || form == static_cast<std::uint64_t>(Form::indirect))
        return true;
    }
  }
  return in.failed();
}

const Abbrev* AbbrevTable::find_sparse(std::uint64_t code) const {
  const auto found = std::ranges::lower_bound(sparse_, code, {}, [](const auto& entry) { return entry.first; });
  return found != sparse_.end() && found->first == code ? &found->second : nullptr;
}

}  // namespace symcached::dwarf
