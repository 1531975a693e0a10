/// Units: headers, bases, addresses, texts, ranges.
#include "formats/dwarf/unit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/dwarf/image.hpp"
#include "testing/dwarf/info_walk.hpp"
#include "testing/dwarf/section_bundle.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::dwarf {
namespace {

using testkit::address;
using testkit::Attribute;
using testkit::data;
using testkit::DwarfBytes;
using testkit::DwarfBytesOf;
using testkit::DwarfImage;
using testkit::entry;
using testkit::Exact;
using testkit::function;
using testkit::string;
using testkit::unit_entry;
using testkit::UnitSpec;

constexpr std::uint8_t kOffsetSizes[] = {4, 8}, kAddressSizes[] = {2, 4, 8};

std::vector<DwarfImage::Format> every_format() {
  std::vector<DwarfImage::Format> all;
  for (std::uint16_t version = 2; version <= 5; ++version)
    for (const bool big : {false, true})
      for (const auto offset_size : kOffsetSizes)
        for (const auto address_size : kAddressSizes) all.push_back({version, big, offset_size, address_size});
  return all;
}

std::string name_of(const DwarfImage::Format& f) {
  return fmt::format("version {} big {} offset {} address {}", f.version, f.big, f.offset_size, f.address_size);
}

/// The unit at `index`, opened, with the sections of one file for everything.
Read<Unit> open(const DwarfBytesOf& done, std::size_t index = 0) {
  SC_TRY(const auto headers, read_unit_headers(done.info, done.sections.big_endian));
  Unit unit;
  unit.sections = &done.sections;
  unit.header = headers.at(index);
  unit.addr = done.sections.addr;
  unit.ranges = done.sections.ranges;
  SC_TRY(auto table, AbbrevTable::read(done.abbrev, unit.header.abbrevs, unit.header.encoding));
  unit.abbrevs = std::make_shared<const AbbrevTable>(std::move(table));
  if (auto ok = unit.open(); !ok) return std::unexpected(ok.error());
  return unit;
}

TEST(DwarfUnit, EndsToldByLengths) {
  for (const bool big : {false, true})
    for (const std::uint8_t offset_size : kOffsetSizes) {
      DwarfImage image({.big = big, .offset_size = offset_size});
      std::vector<std::size_t> ends = {0};
      const auto note = [&] { ends.push_back(image.info_size()); };
      image.unit(unit_entry({}, {function("a", 0x1000, 8)})), note();
      image.padding(4), note();
      image.unit(unit_entry({}, {function("b", 0x2000, 8), function("c", 0x2000, 8)})), note();
      const auto info = image.finish().info;
      for (std::size_t n = 0; n <= info.size(); ++n) {
        const Exact start(Bytes(info).first(n));
        const UnitEnds got = find_unit_ends(start.bytes(), big);
        const auto behind = std::ranges::upper_bound(ends, n);
        EXPECT_EQ(got.whole, *std::prev(behind)) << n;
        if (got.whole == n) continue;
        const std::uint64_t length_end = got.whole + (n - got.whole < 4 ? 4 : offset_size == 8 ? 12 : 4);
        EXPECT_EQ(got.next, n < length_end ? length_end : *behind) << n;
      }
    }
}

TEST(DwarfUnit, HeadersOfEveryVersionAndType) {
  for (const auto& format : every_format()) {
    SCOPED_TRACE(name_of(format));
    std::vector<UnitSpec> specs = {{}};
    if (format.version >= 5)
      specs = {{},
               {UnitType::type, 7},
               {UnitType::partial},
               {UnitType::skeleton, 8},
               {UnitType::split_compile, 9},
               {UnitType::split_type, 10}};
    DwarfImage image(format);
    std::vector<std::size_t> starts;
    for (const UnitSpec& spec : specs) {
      starts.push_back(image.info_size());
      image.unit(entry(Tag::compile_unit, {}), spec).padding(8);
    }
    const auto done = image.finish();
    const auto units = read_unit_headers(done.info, format.big);
    ASSERT_TRUE(units) << to_string(units.error());
    ASSERT_EQ(units->size(), specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const UnitHeader& u = units->at(i);
      EXPECT_EQ(u.offset, starts[i]);
      EXPECT_EQ(u.encoding, (Encoding{format.version, format.address_size, format.offset_size}));
      EXPECT_EQ(u.type, specs[i].type);
      EXPECT_EQ(u.id, specs[i].id);
      EXPECT_EQ(u.abbrevs, 0u);
      EXPECT_EQ(u.end - u.entries, 1u);  // the code of the root
      EXPECT_EQ(u.end, (i + 1 < starts.size() ? starts[i + 1] : image.info_size()) - 8);
    }
  }
}

TEST(DwarfUnit, HeadersOfTypeSections) {  // .debug_types of DWARF 4
  DwarfBytes body;
  body.u16(4).u32(0).u8(8).u64(0x1122334455667788).u32(23).u8(1);
  const auto bytes = DwarfBytes().unit(body, 4).finish();
  const auto units = read_unit_headers(bytes, false, true);
  ASSERT_TRUE(units);
  EXPECT_EQ(units->at(0).type, UnitType::type);
  EXPECT_EQ(units->at(0).id, 0x1122334455667788u);
  EXPECT_EQ(units->at(0).end - units->at(0).entries, 1u);
}

TEST(DwarfUnit, HeadersThatCannotBe) {
  struct Row {
    std::string_view why;
    DwarfBytes bytes;
    std::string_view want;  ///< the field, or how many units there are
  };
  const auto body = [](std::uint16_t version, std::uint8_t second, std::uint8_t address_size) {
    DwarfBytes out;
    if (version == 5) out.u16(5).u8(second).u8(address_size).u32(0).u8(1);
    else out.u16(version).u32(0).u8(address_size).u8(1);
    return DwarfBytes().unit(out, 4);
  };
  const Row rows[] = {
      {"no units", DwarfBytes(), "0"},
      {"padding alone", DwarfBytes().u32(0).u32(0).u16(0), "0"},
      {"a reserved length", DwarfBytes().u32(0xFFFFFFF0).u64(0), "dwarf.unit_length"},
      {"a length without end", DwarfBytes().u32(0xFFFFFFFF).u64(~std::uint64_t{0}), "dwarf.unit_length"},
      {"longer than the section", DwarfBytes().u32(8).u16(4).u32(0).u8(8), "dwarf.unit_length"},
      {"shorter than a header", DwarfBytes().u32(6).u16(4).u32(0).u8(8), "dwarf.unit_header"},
      {"shorter than its version", DwarfBytes().u32(1).u8(4), "dwarf.unit.version"},
      {"DWARF 1", body(1, 0, 8), "dwarf.unit.version"},
      {"DWARF 6", body(6, 0, 8), "dwarf.unit.version"},
      {"addresses of 3 bytes", body(4, 0, 3), "dwarf.unit.address_size"},
      {"addresses of none", body(5, 1, 0), "dwarf.unit.address_size"},
      {"a type of a vendor is stepped over", body(5, 0x80, 8).bytes(body(5, 1, 8).finish()), "1"},
      {"garbage behind a unit", body(4, 0, 8).u32(0x01010101), "dwarf.unit_length"},
      {"an odd number of zeros behind one", body(4, 0, 8).u16(0).u8(0), "1"},
  };
  for (const Row& r : rows) {
    const Exact exact(r.bytes.finish());
    const auto units = read_unit_headers(exact.bytes(), false);
    EXPECT_EQ(units ? fmt::format("{}", units->size()) : std::string(units.error().field), r.want) << r.why;
  }
}

TEST(DwarfUnit, RootEntries) {
  DwarfImage image;
  image.unit(unit_entry({data(At::addr_base, 16), data(At::low_pc, 1, Form::addrx), data(At::str_offsets_base, 8),
                         data(At::rnglists_base, 12)},
                        {function("f", 1, 2)}));
  image.unit(entry(Tag::partial_unit, {}));
  image.addr.u64(0).u64(0).u64(7).u64(0x5000);
  const auto done = image.finish();
  const auto first = open(done), second = open(done, 1);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->tag, Tag::compile_unit);
  EXPECT_TRUE(first->has_children);
  EXPECT_EQ(first->low_pc, 0x5000u);
  EXPECT_EQ(first->str_offsets_base, 8u);
  EXPECT_EQ(first->rnglists_base, 12u);
  EXPECT_EQ(second->tag, Tag::partial_unit);
  EXPECT_FALSE(second->has_children || second->low_pc);
}

TEST(DwarfUnit, RootsThatCannotBe) {
  DwarfImage empty;
  empty.unit(entry(Tag::compile_unit, {}));
  auto done = empty.finish();
  done.info.back() = std::byte{0};
  const auto none = open(done);
  ASSERT_TRUE(none);  // a null entry: a unit without entries
  EXPECT_EQ(none->tag, Tag::none);
  done.info.back() = std::byte{2};
  EXPECT_EQ(open(done).error().field, "dwarf.die.abbrev");
  DwarfImage cut;
  cut.unit(entry(Tag::compile_unit, {data(At::language, 1, Form::data1)}));
  auto bytes = cut.finish();
  bytes.info.pop_back();
  bytes.info[0] = static_cast<std::byte>(bytes.info.size() - 4);
  bytes.sections.info = bytes.info;
  EXPECT_EQ(open(bytes).error().field, "dwarf.die");
}

TEST(DwarfUnit, SplitUnitsHaveBasesBehindOneHeader) {
  struct Row {
    std::uint16_t version;
    std::uint8_t offset_size;
    std::uint64_t str_offsets, rnglists;
  };
  for (const Row& r : {Row{4, 4, 0, 0}, Row{5, 4, 8, 12}, Row{5, 8, 16, 20}}) {
    DwarfImage image({.version = r.version, .offset_size = r.offset_size});
    image.unit(entry(Tag::compile_unit, {}), {r.version >= 5 ? UnitType::split_compile : UnitType::compile, 1});
    auto done = image.finish();
    done.sections.split = true;
    const auto unit = open(done);
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->str_offsets_base, r.str_offsets) << r.version;
    EXPECT_EQ(unit->rnglists_base, r.rnglists) << r.version;
  }
}

TEST(DwarfUnit, TextsByEveryForm) {
  for (const auto& format : every_format()) {
    SCOPED_TRACE(name_of(format));
    DwarfImage image(format);
    const std::uint64_t first = image.text("first"), second = image.text("second");
    image.line_str.c_string("line").c_string("other");
    for (unsigned i = 0; i < 3; ++i) image.str_offsets.offset(i == 2 ? second : first, format.offset_size);
    image.unit(entry(Tag::compile_unit, {data(At::str_offsets_base, format.offset_size)}));
    const auto done = image.finish();
    const auto unit = open(done);
    ASSERT_TRUE(unit);
    struct Row {
      Form form;
      std::uint64_t number;
      std::string_view want;  ///< "-": none
    };
    const Row rows[] = {
        {Form::strp, second, "second"},
        {Form::strp, second + 3, "ond"},
        {Form::strp, 13, "-"},
        {Form::line_strp, 5, "other"},
        {Form::line_strp, 100, "-"},
        {Form::strx, 0, "first"},
        {Form::strx1, 1, "second"},
        {Form::strx2, 1, "second"},
        {Form::strx3, 1, "second"},
        {Form::strx4, 1, "second"},
        {Form::gnu_str_index, 1, "second"},
        {Form::strx, 2, "-"},
        {Form::strx, ~std::uint64_t{0}, "-"},
        {Form::strx, ~std::uint64_t{0} / 8, "-"},
        {Form::data4, 0, "-"},
        {Form::strp_sup, 0, "-"},
    };
    for (const Row& r : rows)
      EXPECT_EQ(unit->text({r.form, r.number}).value_or("-"), r.want) << static_cast<int>(r.form) << " " << r.number;
    EXPECT_EQ(unit->text({Form::string, 3, "abcdef"}), "abc");
  }
}

TEST(DwarfUnit, TextsEndWithNul) {
  const auto bytes = testkit::Section().c_string("ab").text("cd").finish();
  EXPECT_EQ(text_at(bytes, 0), "ab");
  EXPECT_EQ(text_at(bytes, 2), "");
  for (const std::uint64_t offset : {std::uint64_t{3}, std::uint64_t{5}, ~std::uint64_t{0}})
    EXPECT_EQ(text_at(bytes, offset), std::nullopt) << offset;
}

TEST(DwarfUnit, AddressesByEveryForm) {
  for (const auto& format : every_format()) {
    SCOPED_TRACE(name_of(format));
    DwarfImage image(format);
    for (const std::uint64_t value : {0x11, 0x2222, 0x3333}) image.put_address(image.addr, value);
    image.unit(entry(Tag::compile_unit, {data(At::addr_base, format.address_size)}));
    const auto done = image.finish();
    const auto unit = open(done);
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->address({Form::addr, 0x77}), 0x77u);
    for (const Form form : {Form::addrx, Form::addrx1, Form::addrx2, Form::addrx3, Form::addrx4, Form::gnu_addr_index})
      EXPECT_EQ(unit->address({form, 1}), 0x3333u);
    EXPECT_EQ(unit->address({Form::llvm_addrx_offset, 1 | std::uint64_t{0x10} << 32}), 0x3343u);
    for (const std::uint64_t index : {std::uint64_t{2}, ~std::uint64_t{0}, ~std::uint64_t{0} / 8 + 1})
      EXPECT_EQ(unit->address({Form::addrx, index}), std::nullopt) << index;
    EXPECT_EQ(unit->address({Form::data8, 5}), std::nullopt);
  }
}

std::string text_of(const std::vector<Range>& ranges, const RangesRead& read) {
  std::string out;
  for (const Range& r : ranges) out += fmt::format("{:x}-{:x} ", r.low, r.high);
  return out + (read.whole ? "." : "!");
}

/// Ranges of an entry with these attributes, as text; `!` where they break off.
std::string ranges_of(const Unit& unit, const std::vector<Attribute>& attributes) {
  Values values;
  for (const Attribute& a : attributes) {
    const Slot slot = a.at == At::low_pc ? Slot::low_pc : a.at == At::high_pc ? Slot::high_pc : Slot::ranges;
    values.set(slot, {a.form, a.number});
  }
  std::vector<Range> ranges;
  const RangesRead read = append_ranges(unit, values, ranges);
  return text_of(ranges, read);
}

TEST(DwarfUnit, RangesFromLowToHigh) {
  DwarfImage image;
  image.addr.u64(0x1000).u64(0x1080);
  image.unit(entry(Tag::compile_unit, {data(At::addr_base, 0)}));
  const auto done = image.finish();
  const auto unit = open(done);
  ASSERT_TRUE(unit);
  struct Row {
    std::string_view why;
    std::vector<Attribute> attributes;
    std::string_view want;
  };
  const Attribute low = address(At::low_pc, 0x1000);
  const Row rows[] = {
      {"an address", {low, address(At::high_pc, 0x1010)}, "1000-1010 ."},
      {"a size", {low, data(At::high_pc, 0x10, Form::data4)}, "1000-1010 ."},
      {"a size in the declaration", {low, data(At::high_pc, 0x10, Form::implicit_const)}, "1000-1010 ."},
      {"both by index", {data(At::low_pc, 0, Form::addrx), data(At::high_pc, 1, Form::addrx1)}, "1000-1080 ."},
      {"an index that is none", {low, data(At::high_pc, 2, Form::addrx)}, "!"},
      {"a start that is none", {data(At::low_pc, 2, Form::addrx), data(At::high_pc, 5)}, "!"},
      {"empty", {low, data(At::high_pc, 0)}, "."},
      {"backwards", {low, address(At::high_pc, 0xFFF)}, "."},
      {"around the end of the address space", {low, data(At::high_pc, ~std::uint64_t{0})}, "."},
      {"no end", {low}, "."},
      {"no start", {data(At::high_pc, 5)}, "."},
  };
  for (const Row& r : rows) EXPECT_EQ(ranges_of(*unit, r.attributes), r.want) << r.why;
}

TEST(DwarfUnit, OldRangeLists) {  // DWARF 4, section 2.17.3
  for (const auto& format : every_format()) {
    if (format.version == 5) continue;
    SCOPED_TRACE(name_of(format));
    DwarfImage image(format);
    const std::uint64_t none = ~std::uint64_t{0};
    const auto list = [&](std::initializer_list<std::uint64_t> values) {
      const std::uint64_t at = image.ranges.size();
      for (const std::uint64_t value : values) image.put_address(image.ranges, value);
      return at;
    };
    const auto plain = list({0x10, 0x20, 0x30, 0x40, 0, 0}),
               based = list({none, 0x4000, 0x10, 0x20, none, 0, 8, 9, 0, 0});
    const auto dead = list({1, 1, 0x30, 0x20, 0x30, 0x31, 0, 0}), open_end = list({0x10, 0x20, 0x30});
    image.unit(entry(Tag::compile_unit, {address(At::low_pc, 0x1000)}));
    const auto done = image.finish();
    const auto unit = open(done);
    ASSERT_TRUE(unit);
    const auto at = [&](std::uint64_t offset) {
      return ranges_of(*unit, {data(At::ranges, offset, Form::sec_offset)});
    };
    EXPECT_EQ(at(plain), "1010-1020 1030-1040 .");
    EXPECT_EQ(at(based), "4010-4020 8-9 .");
    EXPECT_EQ(at(dead), "1030-1031 .");
    EXPECT_EQ(at(open_end), "1010-1020 !");
    EXPECT_EQ(at(done.ranges.size()), "!");
    EXPECT_EQ(at(none), "!");
  }
}

TEST(DwarfUnit, NewRangeLists) {  // DWARF 5, section 7.25
  for (auto format : every_format()) {
    if (format.version != 5) continue;
    SCOPED_TRACE(name_of(format));
    DwarfImage image(format);
    DwarfBytes& lists = image.rnglists;
    for (const std::uint64_t value : {0x2000, 0x2010, 0x2030}) image.put_address(image.addr, value);
    lists.u32(0).u32(0).u32(0);
    lists.offset(2u * format.offset_size, format.offset_size).offset(~std::uint64_t{0}, format.offset_size);
    const std::uint64_t every = lists.size();
    lists.u8(4).uleb(0).uleb(0x10);  // from the unit's start
    lists.u8(5), image.put_address(lists, 0x3000), lists.u8(4).uleb(0x80).uleb(0x81);
    lists.u8(1).uleb(1).u8(4).uleb(1).uleb(2);  // from address 1
    lists.u8(2).uleb(0).uleb(2).u8(3).uleb(2).uleb(5);
    lists.u8(6), image.put_address(lists, 0x50), image.put_address(lists, 0x60);
    lists.u8(7), image.put_address(lists, 0x70), lists.uleb(4);
    lists.u8(4).uleb(3).uleb(3).u8(0);  // empty, and the end
    const std::uint64_t bad_kind = lists.size();
    lists.u8(7), image.put_address(lists, 1), lists.uleb(1).u8(8);
    const std::uint64_t bad_index = lists.size();
    lists.u8(1).uleb(3).u8(4).uleb(0).uleb(1).u8(0);
    const std::uint64_t cut = lists.size();
    lists.u8(3).uleb(0).uleb(1).u8(2).uleb(0);
    image.unit(
        entry(Tag::compile_unit, {address(At::low_pc, 0x1000), data(At::addr_base, 0), data(At::rnglists_base, 12)}));
    const auto done = image.finish();
    const auto unit = open(done);
    ASSERT_TRUE(unit);
    const auto at = [&](std::uint64_t number, Form form = Form::sec_offset) {
      return ranges_of(*unit, {data(At::ranges, number, form)});
    };
    constexpr std::string_view kEvery = "1000-1010 3080-3081 2011-2012 2000-2030 2030-2035 50-60 70-74 .";
    EXPECT_EQ(at(every), kEvery);
    EXPECT_EQ(at(0, Form::rnglistx), kEvery);
    EXPECT_EQ(at(1, Form::rnglistx), "!");
    EXPECT_EQ(at(done.rnglists.size(), Form::rnglistx), "!");
    EXPECT_EQ(at(~std::uint64_t{0}, Form::rnglistx), "!");
    EXPECT_EQ(at(bad_kind), "1-2 !");
    EXPECT_EQ(at(bad_index), "!");
    EXPECT_EQ(at(cut), "2000-2001 !");
    EXPECT_EQ(at(done.rnglists.size()), "!");
  }
}

TEST(DwarfUnit, StatesHowLongAListIs) {
  DwarfImage image;
  image.rnglists.u8(4).uleb(1).uleb(2).u8(0).u8(0);
  image.unit(entry(Tag::compile_unit, {}));
  const auto done = image.finish();
  const auto unit = open(done);
  ASSERT_TRUE(unit);
  Values values;
  values.set(Slot::ranges, {Form::sec_offset, 0});
  std::vector<Range> ranges;
  EXPECT_EQ(append_ranges(*unit, values, ranges).bytes, 4u);
}

/// Units of every kind with children, texts and ranges.
DwarfBytesOf rich_info(const DwarfImage::Format& format) {
  DwarfImage image(format);
  const std::uint64_t name = image.text("a name");
  image.line_str.c_string("/src");
  image.str_offsets.u32(0).u32(0).offset(name, format.offset_size);
  for (const std::uint64_t value : {0x1000, 0x1100}) image.put_address(image.addr, value);
  for (const std::uint64_t value : {0x10, 0x20, 0, 0}) image.put_address(image.ranges, value);
  image.rnglists.u8(4).uleb(1).uleb(9).u8(3).uleb(0).uleb(7).u8(0);
  std::vector<Attribute> bases = {string(At::name, "unit.c"), address(At::low_pc, 0x1000)};
  if (format.version >= 5)
    bases.insert(bases.end(),
                 {data(At::str_offsets_base, 8, Form::sec_offset), data(At::addr_base, 0, Form::sec_offset)});
  std::vector<testkit::Entry> entries = {
      function("plain", 0x1000, 16, {testkit::inlined("call", 0x1004, 4, 1, 7)}),
      entry(Tag::subprogram, {data(At::name, name, Form::strp), data(At::ranges, 0, Form::sec_offset)}),
      entry(Tag{0x34}, {indirect(string(At::name, "v")),
                        data(At{0x3b}, 4, Form::data2),
                        {.at = At{0x02}, .form = Form::exprloc, .text = "xyz"}}),
      entry(Tag::subprogram, {data(At::name, 0, Form::strx1), data(At::low_pc, 1, Form::addrx),
                              data(At::high_pc, 4, Form::implicit_const)}),
  };
  image.unit(unit_entry(bases, entries));
  if (format.version >= 5) image.unit(unit_entry(bases, entries), {UnitType::skeleton, 77});
  return image.finish();
}

TEST(DwarfInfoFuzzCorpus, IsAssembled) {
  std::vector<testkit::StoredInput> inputs;
  const auto add = [&](std::string_view name, const DwarfImage::Format& format) {
    inputs.push_back({name, testkit::pack_dwarf(rich_info(format).sections)});
  };
  add("version2_big.bin", {2, true, 4, 4});
  add("version3_wide.bin", {3, false, 8, 8});
  add("version4.bin", {4, false, 4, 8});
  add("version5.bin", {5, false, 4, 8});
  add("version5_big_wide.bin", {5, true, 8, 4});
  testkit::expect_stored("formats/dwarf/fuzz_corpus/info_fuzz", inputs);
}

TEST(DwarfUnit, EveryCutAndFlipIsSurvived) {
  for (const auto& format : every_format()) {
    auto packed = testkit::pack_dwarf(rich_info(format).sections);
    for (std::size_t n = 0; n < packed.size(); ++n) {
      const Exact cut(Bytes(packed).first(n));
      testkit::walk_info(testkit::unpack_dwarf(cut.bytes()));
    }
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
      packed[bit / 8] ^= std::byte{1} << bit % 8;
      const Exact exact(packed);
      testkit::walk_info(testkit::unpack_dwarf(exact.bytes()));
      packed[bit / 8] ^= std::byte{1} << bit % 8;
    }
  }
}

}  // namespace
}  // namespace symcached::dwarf
