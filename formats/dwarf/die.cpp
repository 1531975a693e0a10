#include "formats/dwarf/die.hpp"

namespace symcached::dwarf {
namespace {

template <bool Big>
Value read_form(Cursor<Big>& in, Form form, const Encoding& encoding) {
  Value value{.form = form};
  switch (form) {
    case Form::string: {
      const std::string_view text = in.c_string();
      value.number = text.size();
      value.text = text.data();
      return value;
    }
    case Form::flag_present: value.number = 1; return value;
    case Form::sdata: value.number = static_cast<std::uint64_t>(in.sleb()); return value;
    case Form::data16: in.skip(16); return value;
    case Form::block1: in.skip(in.u8()); return value;
    case Form::block2: in.skip(in.u16()); return value;
    case Form::block4: in.skip(in.u32()); return value;
    case Form::block:
    case Form::exprloc: in.skip(in.uleb()); return value;
    case Form::llvm_addrx_offset:
      value.number = in.uleb();
      if (value.number > 0xFFFFFFFF) in.fail();
      value.number |= std::uint64_t{in.u32()} << 32;
      return value;
    default: break;
  }
  const int size = fixed_size_of(form, encoding);
  value.number = size >= 0 ? in.fixed_size(static_cast<unsigned>(size)) : in.uleb();
  return value;
}

/// The form that stands in the entry itself; more indirection, or a value only a declaration can hold, fails.
template <bool Big>
Form indirect_form(Cursor<Big>& in) {
  const std::uint64_t number = in.uleb();
  const auto form = number > 0xFFFF ? Form::none : static_cast<Form>(number);
  if (!is_known(form) || form == Form::indirect || form == Form::implicit_const) in.fail();
  return form;
}

}  // namespace

template <bool Big>
void read_values(Cursor<Big>& in, const AbbrevTable& table, const Abbrev& abbrev, const Encoding& encoding,
                 Values& out) {
  out.clear();
  for (const Step& step : table.steps(abbrev)) {
    switch (step.kind) {
      case Step::Kind::fixed: in.skip(step.operand); break;
      case Step::Kind::read_fixed:
        out.set(step.slot, {.form = step.form, .number = in.fixed_size(static_cast<unsigned>(step.operand))});
        break;
      case Step::Kind::read: out.set(step.slot, read_form(in, step.form, encoding)); break;
      case Step::Kind::implicit: out.set(step.slot, {.form = step.form, .number = step.operand}); break;
      case Step::Kind::indirect: {
        const Value value = read_form(in, indirect_form(in), encoding);
        if (step.slot != Slot::none) out.set(step.slot, value);
        break;
      }
      default: skip_steps(in, std::span(&step, 1), encoding);
    }
  }
}

template <bool Big>
void skip_steps(Cursor<Big>& in, std::span<const Step> steps, const Encoding& encoding) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::read_fixed:
      case Step::Kind::fixed: in.skip(step.operand); break;
      case Step::Kind::leb: in.skip_leb(); break;
      case Step::Kind::text: in.c_string(); break;
      case Step::Kind::block1: in.skip(in.u8()); break;
      case Step::Kind::block2: in.skip(in.u16()); break;
      case Step::Kind::block4: in.skip(in.u32()); break;
      case Step::Kind::block: in.skip(in.uleb()); break;
      case Step::Kind::read: read_form(in, step.form, encoding); break;
      case Step::Kind::implicit: break;
      case Step::Kind::indirect: read_form(in, indirect_form(in), encoding); break;
    }
  }
}

template void read_values(Cursor<false>&, const AbbrevTable&, const Abbrev&, const Encoding&, Values&);
template void read_values(Cursor<true>&, const AbbrevTable&, const Abbrev&, const Encoding&, Values&);
template void skip_steps(Cursor<false>&, std::span<const Step>, const Encoding&);
template void skip_steps(Cursor<true>&, std::span<const Step>, const Encoding&);

}  // namespace symcached::dwarf
