#pragma once
/// Debugging information entries, run by the compiled abbreviations. DWARF 5, section 7.5.
#include <array>
#include <cstdint>
#include <string_view>

#include "formats/dwarf/abbrev.hpp"
#include "formats/dwarf/cursor.hpp"

namespace symcached::dwarf {

/// An attribute as its form gives it. What number means depends on the form: see Unit.
struct Value {
  Form form = Form::none;
  std::uint64_t number = 0;  ///< of string the text's length; of llvm_addrx_offset the index, and the offset << 32
  const char* text = nullptr;
};

/// The attributes of one entry, by slot.
class Values {
 public:
  void clear() { present_ = 0; }
  void set(Slot slot, const Value& value) {
    values_[static_cast<std::size_t>(slot)] = value;
    present_ |= 1u << static_cast<unsigned>(slot);
  }
  const Value* find(Slot slot) const {
    return (present_ >> static_cast<unsigned>(slot) & 1) != 0 ? &values_[static_cast<std::size_t>(slot)] : nullptr;
  }
  bool has(Slot slot) const { return find(slot) != nullptr; }
  std::uint64_t number(Slot slot, std::uint64_t otherwise = 0) const {
    const Value* value = find(slot);
    return value != nullptr ? value->number : otherwise;
  }

 private:
  std::array<Value, static_cast<std::size_t>(Slot::count)> values_;
  std::uint32_t present_ = 0;
};

/// Reads the attributes of the entry whose code has just been read. A form that does not exist fails the cursor.
template <bool Big>
void read_values(Cursor<Big>& in, const AbbrevTable& table, const Abbrev& abbrev, const Encoding& encoding,
                 Values& out);

/// Steps over them.
template <bool Big>
void skip_steps(Cursor<Big>& in, std::span<const Step> steps, const Encoding& encoding);

template <bool Big>
inline void skip_values(Cursor<Big>& in, const AbbrevTable& table, const Abbrev& abbrev, const Encoding& encoding) {
  if (abbrev.all_fixed) [[likely]]
    in.skip(abbrev.fixed_size);
  else skip_steps(in, table.skips(abbrev), encoding);
}

/// Steps over an entry, whose code has just been read, with all its children, if it is a type and says where its
/// sibling stands.
/// @param unit  where the unit's header stands
/// @return false: it does not say, or not what can be; the cursor has not moved
template <bool Big>
inline bool skip_tree(Cursor<Big>& in, const Abbrev& abbrev, std::uint64_t unit) {
  if (abbrev.sibling == kNoSibling) return false;
  Cursor<Big> at = in;
  at.skip(abbrev.sibling);
  const std::uint64_t sibling = unit + at.u32();
  if (at.failed() || sibling < at.position() || sibling - at.position() > at.left()) return false;
  in.seek(sibling);
  return true;
}

extern template void read_values(Cursor<false>&, const AbbrevTable&, const Abbrev&, const Encoding&, Values&);
extern template void read_values(Cursor<true>&, const AbbrevTable&, const Abbrev&, const Encoding&, Values&);
extern template void skip_steps(Cursor<false>&, std::span<const Step>, const Encoding&);
extern template void skip_steps(Cursor<true>&, std::span<const Step>, const Encoding&);

}  // namespace symcached::dwarf
