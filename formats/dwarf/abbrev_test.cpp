/// Abbreviation tables: forms, codes, and what a declaration compiles to.
#include "formats/dwarf/abbrev.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/dwarf/line.hpp"

namespace symcached::dwarf {
namespace {

using testkit::DwarfBytes;
using testkit::Exact;

constexpr Encoding kV5{5, 8, 4};

/// Attribute, form, and for implicit_const its value.
struct Declared {
  std::uint64_t attribute, form;
  std::int64_t implicit = 0;
};

DwarfBytes& declare(DwarfBytes& out, std::uint64_t code, std::uint64_t tag, const std::vector<Declared>& attributes) {
  out.uleb(code).uleb(tag).u8(0);
  for (const Declared& a : attributes) {
    out.uleb(a.attribute).uleb(a.form);
    if (a.form == 0x21) out.sleb(a.implicit);
  }
  return out.u16(0);
}

Read<AbbrevTable> table_of(const DwarfBytes& bytes, const Encoding& encoding = kV5, std::uint64_t at = 0) {
  const Exact exact(bytes.finish());
  return AbbrevTable::read(exact.bytes(), at, encoding);
}

/// `fixed 12, number 4 to 0, leb`: kinds, slots and forms.
std::string steps_of(std::span<const Step> steps) {
  constexpr std::string_view kKinds[] = {"fixed", "leb",  "text",   "block1",   "block2",  "block4",
                                         "block", "read", "number", "implicit", "indirect"};
  std::string out;
  for (const Step& step : steps) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", kKinds[static_cast<std::size_t>(step.kind)]);
    if (step.kind == Step::Kind::fixed || step.kind == Step::Kind::read_fixed) out += fmt::format(" {}", step.operand);
    if (step.kind == Step::Kind::implicit) out += fmt::format(" {}", static_cast<std::int64_t>(step.operand));
    if (step.slot != Slot::none) out += fmt::format(" to {}", static_cast<int>(step.slot));
  }
  return out;
}

TEST(DwarfAbbrev, SizesOfForms) {  // DWARF 5, section 7.5.6
  struct Row {
    Form form;
    int v2, v5, v5_wide;  ///< bytes; -1 = not fixed
  };
  const Row rows[] = {
      {Form::addr, 4, 8, 8},
      {Form::block2, -1, -1, -1},
      {Form::block4, -1, -1, -1},
      {Form::data2, 2, 2, 2},
      {Form::data4, 4, 4, 4},
      {Form::data8, 8, 8, 8},
      {Form::string, -1, -1, -1},
      {Form::block, -1, -1, -1},
      {Form::block1, -1, -1, -1},
      {Form::data1, 1, 1, 1},
      {Form::flag, 1, 1, 1},
      {Form::sdata, -1, -1, -1},
      {Form::strp, 4, 4, 8},
      {Form::udata, -1, -1, -1},
      {Form::ref_addr, 4, 4, 8},
      {Form::ref1, 1, 1, 1},
      {Form::ref2, 2, 2, 2},
      {Form::ref4, 4, 4, 4},
      {Form::ref8, 8, 8, 8},
      {Form::ref_udata, -1, -1, -1},
      {Form::indirect, -1, -1, -1},
      {Form::sec_offset, 4, 4, 8},
      {Form::exprloc, -1, -1, -1},
      {Form::flag_present, 0, 0, 0},
      {Form::strx, -1, -1, -1},
      {Form::addrx, -1, -1, -1},
      {Form::ref_sup4, 4, 4, 4},
      {Form::strp_sup, 4, 4, 8},
      {Form::data16, 16, 16, 16},
      {Form::line_strp, 4, 4, 8},
      {Form::ref_sig8, 8, 8, 8},
      {Form::implicit_const, 0, 0, 0},
      {Form::loclistx, -1, -1, -1},
      {Form::rnglistx, -1, -1, -1},
      {Form::ref_sup8, 8, 8, 8},
      {Form::strx1, 1, 1, 1},
      {Form::strx2, 2, 2, 2},
      {Form::strx3, 3, 3, 3},
      {Form::strx4, 4, 4, 4},
      {Form::addrx1, 1, 1, 1},
      {Form::addrx2, 2, 2, 2},
      {Form::addrx3, 3, 3, 3},
      {Form::addrx4, 4, 4, 4},
      {Form::gnu_addr_index, -1, -1, -1},
      {Form::gnu_str_index, -1, -1, -1},
      {Form::gnu_ref_alt, 4, 4, 8},
      {Form::gnu_strp_alt, 4, 4, 8},
      {Form::llvm_addrx_offset, -1, -1, -1},
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(static_cast<int>(r.form));
    EXPECT_TRUE(is_known(r.form));
    EXPECT_EQ(fixed_size_of(r.form, {2, 4, 4}), r.v2);
    EXPECT_EQ(fixed_size_of(r.form, {5, 8, 4}), r.v5);
    EXPECT_EQ(fixed_size_of(r.form, {5, 8, 8}), r.v5_wide);
  }
  EXPECT_EQ(fixed_size_of(Form::ref_addr, {2, 8, 4}), 8);  // DWARF 2: the size of an address
}

TEST(DwarfAbbrev, CompilesToFewSteps) {
  struct Row {
    std::string_view why;
    std::uint64_t tag;
    std::vector<Declared> attributes;
    std::string read, skip;
  };
  constexpr std::uint64_t kVariable = 0x34, kFunction = 0x2e;
  const Row rows[] = {
      {"a type's fixed attributes are one step",
       kVariable,
       {{0x03, 0x0e}, {0x3a, 0x0b}, {0x49, 0x13}},
       "fixed 9",
       "fixed 9"},
      {"even names are only in the way there",
       kVariable,
       {{0x03, 0x08}, {0x3a, 0x0b}},
       "text, fixed 1",
       "text, fixed 1"},
      {"attributes without bytes", kVariable, {{0x3f, 0x19}, {0x3b, 0x21, 77}}, "", ""},
      {"a function's are picked out",
       kFunction,
       {{0x3f, 0x19}, {0x03, 0x0e}, {0x3a, 0x0b}, {0x3b, 0x05}, {0x11, 0x01}},
       "number 4 to 0, fixed 3, number 8 to 2",
       "fixed 15"},
      {"a value in the declaration",
       kFunction,
       {{0x58, 0x21, -3}, {0x3a, 0x21, 9}, {0x59, 0x0b}},
       "implicit -3 to 8, number 1 to 9",
       "fixed 1"},
      {"either linkage name", kFunction, {{0x2007, 0x0e}}, "number 4 to 1", "fixed 4"},
      {"the first of two counts",
       kFunction,
       {{0x6e, 0x0e}, {0x2007, 0x0e}, {0x03, 0x08}, {0x03, 0x08}},
       "number 4 to 1, fixed 4, read to 0, text",
       "fixed 8, text, text"},
      {"blocks and numbers",
       kFunction,
       {{0x40, 0x18}, {0x40, 0x0a}, {0x40, 0x03}, {0x40, 0x04}, {0x40, 0x09}, {0x40, 0x0d}},
       "block, block1, block2, block4, block, leb",
       "block, block1, block2, block4, block, leb"},
      {"a form in the entry", kFunction, {{0x03, 0x16}, {0x3a, 0x16}}, "indirect to 0, indirect", "indirect, indirect"},
      {"an address with an offset",
       kFunction,
       {{0x11, 0x2001}, {0x12, 0x06}, {0x55, 0x17}},
       "read to 2, number 4 to 3, number 4 to 4",
       "leb, fixed 12"},
      {"the same, not asked for", kVariable, {{0x11, 0x2001}}, "leb, fixed 4", "leb, fixed 4"},
      {"attributes of more than 16 bits", kFunction, {{0x10003, 0x0b}, {0x10000, 0x0b}}, "fixed 2", "fixed 2"},
      {"a tag of more than 16 bits", 0x1002e, {{0x11, 0x01}}, "fixed 8", "fixed 8"},
  };
  for (const Row& r : rows) {
    DwarfBytes bytes;
    const auto table = table_of(declare(bytes, 1, r.tag, r.attributes).u8(0));
    ASSERT_TRUE(table) << r.why;
    const Abbrev* abbrev = table->find(1);
    ASSERT_NE(abbrev, nullptr) << r.why;
    EXPECT_EQ(steps_of(table->steps(*abbrev)), r.read) << r.why;
    EXPECT_EQ(steps_of(table->skips(*abbrev)), r.skip) << r.why;
    EXPECT_EQ(abbrev->all_fixed, r.skip.empty() || r.skip.find_first_not_of("fixed 0123456789") == std::string::npos)
        << r.why;
  }
}

TEST(DwarfAbbrev, WhatIsCode) {
  struct Row {
    std::uint64_t tag, attribute;
    bool want;
  };
  for (const Row& r : {Row{0x2e, 0x11, true},
                       {0x2e, 0x55, true},
                       {0x1d, 0x11, true},
                       {0x1d, 0x55, true},
                       {0x2e, 0x12, false},
                       {0x2e, 0x10011, false},
                       {0x0b, 0x11, false},
                       {0x11, 0x11, false}}) {
    DwarfBytes bytes;
    const auto table = table_of(declare(bytes, 1, r.tag, {{r.attribute, 0x01}}).u8(0));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->find(1)->is_code, r.want) << r.tag << " " << r.attribute;
  }
}

TEST(DwarfAbbrev, WhereTypesNameTheirSibling) {
  struct Row {
    std::string_view why;
    std::uint64_t tag;
    std::vector<Declared> attributes;
    std::uint16_t want;
  };
  constexpr std::uint64_t kStructure = 0x13;
  for (const Row& r : {Row{"at the start", kStructure, {{0x01, 0x13}, {0x03, 0x08}}, 0},
                       Row{"behind what has a fixed size", kStructure, {{0x03, 0x0e}, {0x0b, 0x05}, {0x01, 0x13}}, 6},
                       Row{"behind what has none", kStructure, {{0x03, 0x08}, {0x01, 0x13}}, kNoSibling},
                       Row{"as another form", kStructure, {{0x01, 0x11}}, kNoSibling},
                       Row{"not at all", kStructure, {{0x03, 0x0e}}, kNoSibling},
                       Row{"of a function", 0x2e, {{0x01, 0x13}}, kNoSibling},
                       Row{"of a namespace", 0x39, {{0x01, 0x13}}, kNoSibling}}) {
    DwarfBytes bytes;
    const auto table = table_of(declare(bytes, 1, r.tag, r.attributes).u8(0));
    ASSERT_TRUE(table) << r.why;
    EXPECT_EQ(table->find(1)->sibling, r.want) << r.why;
  }
}

TEST(DwarfAbbrev, WhetherEntriesMayNameOtherUnits) {
  DwarfBytes plain, named, untold, second, padded;
  declare(plain, 1, 0x13, {{0x03, 0x08}, {0x01, 0x13}, {0x3b, 0x21, 16}}).u8(0);
  declare(named, 1, 0x2e, {{0x31, 0x10}}).u8(0);
  declare(untold, 1, 0x2e, {{0x03, 0x16}}).u8(0);
  declare(second, 1, 0x13, {{0x03, 0x08}}).u8(0);
  declare(second, 1, 0x2e, {{0x47, 0x10}}).u8(0);
  declare(padded, 1, 0x13, {{0x03, 0x08}}).u32(0);
  struct Row {
    std::string_view why;
    DwarfBytes bytes;
    bool want;
  };
  for (const Row& r : {Row{"nothing", DwarfBytes(), false}, Row{"inside the unit alone", plain, false},
                       Row{"a reference into the section", named, true}, Row{"a form the entry tells", untold, true},
                       Row{"in another table", second, true}, Row{"padding", padded, false}}) {
    const Exact exact(r.bytes.finish());
    EXPECT_EQ(may_name_other_units(exact.bytes()), r.want) << r.why;
  }
  const auto whole = plain.finish();
  for (std::size_t n = 1; n + 1 < whole.size(); ++n)
    EXPECT_TRUE(may_name_other_units(Exact(Bytes(whole).first(n)).bytes())) << "cut after " << n;
}

TEST(DwarfAbbrev, CodesInAnyOrder) {
  DwarfBytes bytes;
  bytes.u32(0xEEEEEEEE);
  const std::vector<std::uint64_t> codes = {1, 2, 40, 3, 7, 2, 7, 0xFFFFFFFFFFFFFFFF, 4};
  for (std::size_t i = 0; i < codes.size(); ++i) declare(bytes, codes[i], 100 + i, {});
  bytes.u8(0);
  const std::uint64_t size = bytes.size() - 4;
  const auto table = table_of(bytes.u8(9), kV5, 4);  // bytes of another table behind it
  ASSERT_TRUE(table);
  EXPECT_EQ(table->bytes(), size);
  for (const auto& [code, tag] : std::vector<std::pair<std::uint64_t, int>>{
           {1, 100}, {2, 101}, {40, 102}, {3, 103}, {7, 104}, {0xFFFFFFFFFFFFFFFF, 107}, {4, 108}}) {
    ASSERT_NE(table->find(code), nullptr) << code;
    EXPECT_EQ(static_cast<int>(table->find(code)->tag), tag) << code;  // the first where two share a code
  }
  for (const std::uint64_t code : {0u, 5u, 6u, 8u, 41u}) EXPECT_EQ(table->find(code), nullptr) << code;
}

TEST(DwarfAbbrev, Refused) {
  struct Row {
    std::string_view why;
    DwarfBytes bytes;
    std::uint64_t at;
    std::string_view want;
  };
  DwarfBytes unknown, none, two, wide, huge, good;
  declare(unknown, 1, 0x2e, {{3, 0x2d}}).u8(0);
  declare(none, 1, 0x2e, {{3, 0}}).u8(0);
  declare(two, 1, 0x2e, {{3, 2}}).u8(0);
  declare(wide, 1, 0x2e, {{3, 0x10008}}).u8(0);
  declare(good, 1, 0x2e, {{3, 8}}).u8(0);
  huge.uleb(1).uleb(0x34).u8(0);
  for (std::uint64_t i = 0; i <= kMaxAbbrevTable / 2; ++i) huge.uleb(3).uleb(8);
  huge.u16(0).u8(0);
  const Row rows[] = {
      {"a form nobody defined", unknown, 0, "dwarf.abbrev.form"},
      {"no form", none, 0, "dwarf.abbrev.form"},
      {"the one number that was never given", two, 0, "dwarf.abbrev.form"},
      {"a form of more than 16 bits", wide, 0, "dwarf.abbrev.form"},
      {"larger than any real one", huge, 0, "dwarf.abbrev"},
      {"at the end of the section", good, good.size(), "dwarf.abbrev"},
      {"outside the section", good, good.size() + 1, "dwarf.unit.abbrev_offset"},
      {"far outside", good, ~std::uint64_t{0}, "dwarf.unit.abbrev_offset"},
  };
  for (const Row& r : rows) {
    const auto table = table_of(r.bytes, kV5, r.at);
    ASSERT_FALSE(table) << r.why;
    EXPECT_EQ(table.error().field, r.want) << r.why;
  }
}

TEST(DwarfAbbrev, EveryCutIsRefused) {
  DwarfBytes bytes;
  declare(bytes, 1, 0x11, {{0x03, 0x08}, {0x58, 0x21, -300}});
  declare(bytes, 200, 0x2e, {{0x2007, 0x1f21}, {0x11, 0x01}}).u8(0);
  const auto whole = bytes.finish();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const Exact cut(Bytes(whole).first(n));
    EXPECT_FALSE(AbbrevTable::read(cut.bytes(), 0, kV5)) << n << " bytes";
  }
}

}  // namespace
}  // namespace symcached::dwarf
