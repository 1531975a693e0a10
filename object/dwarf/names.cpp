#include "object/dwarf/names.hpp"

namespace symcached::object {
namespace {

using dwarf::Form;
using dwarf::Slot;

constexpr unsigned kMaxReferences = 16;  ///< from instance to origin to declaration; more is a ring

std::uint64_t key_of(std::uint32_t file, std::uint64_t offset) { return std::uint64_t{file} << 44 ^ offset; }

struct EntryRead {
  bool good = false;        ///< there is an entry
  std::uint64_t bytes = 0;  ///< passed over
};

/// Values of the entry at `offset`.
EntryRead read_entry(const dwarf::Unit& unit, std::uint64_t offset, dwarf::Values& out) {
  const auto read = [&]<bool Big>(dwarf::Cursor<Big> in) -> EntryRead {
    const std::size_t start = in.position();
    const dwarf::Abbrev* abbrev = unit.abbrevs->find(in.uleb());
    if (abbrev == nullptr) return {};
    dwarf::read_values(in, *unit.abbrevs, *abbrev, unit.header.encoding, out);
    return {!in.failed(), in.position() - start};
  };
  const Bytes entries = unit.sections->info.first(unit.header.end);
  return unit.sections->big_endian ? read(dwarf::Cursor<true>(entries, offset))
                                   : read(dwarf::Cursor<false>(entries, offset));
}

}  // namespace

std::optional<DwarfNames::Place> DwarfNames::place_of(const dwarf::Unit& unit, std::uint32_t file,
                                                      const dwarf::Value& value) const {
  if (value.form == Form::gnu_strp_alt || value.form == Form::strp_sup) {
    if (files_.supplementary() == kNoFileIndex) return std::nullopt;
    return Place{files_.supplementary(), value.number};
  }
  const auto offset = unit.str_offset(value);
  return offset ? std::optional(Place{file, *offset}) : std::nullopt;
}

std::optional<std::string_view> DwarfNames::view(const dwarf::Unit& unit, std::uint32_t file,
                                                 const dwarf::Value& value) const {
  const auto place = place_of(unit, file, value);
  if (!place && value.form != Form::line_strp) return unit.text(value);
  const Bytes section = place ? files_.file(place->file).sections->str : unit.sections->line_str;
  const std::uint64_t offset = place ? place->offset : value.number;
  const auto text = dwarf::text_at(section, offset);
  if (!text && offset < section.size()) budget_.spend(section.size() - offset);  // all of it was searched for a NUL
  return text;
}

model::StringId DwarfNames::text(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Value& value) {
  const auto intern = [&] {
    const auto found = view(unit, file, value);
    return found && budget_.spend(found->size()) ? sink_.intern(*found) : model::StringId::none;
  };
  const auto place = place_of(unit, file, value);
  if (!place) return intern();
  bool added = false;
  std::uint32_t& known = texts_.at(key_of(files_.file(place->file).texts, place->offset), added);
  if (added) known = static_cast<std::uint32_t>(intern());
  return model::StringId{known};
}

DwarfName DwarfNames::of(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Values& values, unsigned depth) {
  if (const dwarf::Value* linkage = values.find(Slot::linkage_name))
    if (const model::StringId id = text(unit, file, *linkage); id != model::StringId::none) return {id, true};
  DwarfName name;
  for (const Slot slot : {Slot::abstract_origin, Slot::specification})
    if (const dwarf::Value* reference = values.find(slot); reference != nullptr && !name.is_linkage) {
      const DwarfName found = referred(unit, file, *reference, depth);
      if (found.id != model::StringId::none) name = found;
    }
  if (name.is_linkage) return name;
  if (const dwarf::Value* own = values.find(Slot::name))
    if (const model::StringId id = text(unit, file, *own); id != model::StringId::none) return {id, false};
  return name;
}

DwarfName DwarfNames::referred(const dwarf::Unit& unit, std::uint32_t file, const dwarf::Value& reference,
                               unsigned depth) {
  if (depth == kMaxReferences) return {};
  switch (reference.form) {
    case Form::ref1:
    case Form::ref2:
    case Form::ref4:
    case Form::ref8:
    case Form::ref_udata: {
      const std::uint64_t size = unit.header.end - unit.header.offset;
      return reference.number < size ? at(unit, file, unit.header.offset + reference.number, depth) : DwarfName{};
    }
    case Form::ref_addr: break;
    case Form::gnu_ref_alt:
    case Form::ref_sup4:
    case Form::ref_sup8: file = files_.supplementary(); break;
    default: return {};
  }
  const dwarf::Unit* const owner = opener_.holding(file, reference.number);
  if (owner == nullptr) return {};
  const dwarf::Unit held = *owner;  // the next reference may push it out of the opener
  return at(held, file, reference.number, depth);
}

DwarfName DwarfNames::at(const dwarf::Unit& unit, std::uint32_t file, std::uint64_t offset, unsigned depth) {
  constexpr std::uint32_t kLinkage = 1, kUnit = 2;
  const std::uint64_t key = key_of(file, offset);
  bool added = false;
  if (const std::uint32_t known = entries_.at(key, added); !added)
    return {model::StringId{known / kUnit}, (known & kLinkage) != 0};
  dwarf::Values values;
  const EntryRead entry = read_entry(unit, offset, values);
  budget_.spend(entry.bytes);
  const DwarfName name = entry.good ? of(unit, file, values, depth + 1) : DwarfName{};
  entries_.at(key, added) = static_cast<std::uint32_t>(name.id) * kUnit + (name.is_linkage ? kLinkage : 0);
  return name;
}

}  // namespace symcached::object
