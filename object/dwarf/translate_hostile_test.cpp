/// DWARF that is damaged, or made to cost more than it weighs; and the same bytes whatever the threads and the order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "object/dwarf/translate.hpp"
#include "symcache/writer.hpp"
#include "testing/checking_sink.hpp"
#include "testing/dwarf/rows.hpp"
#include "testing/dwarf/section_bundle.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using dwarf::At;
using dwarf::Form;
using dwarf::Tag;
using testkit::address;
using testkit::data;
using testkit::DwarfBytes;
using testkit::DwarfBytesOf;
using testkit::DwarfImage;
using testkit::Entry;
using testkit::entry;
using testkit::function;
using testkit::inlined;
using testkit::line_table;
using testkit::lined_unit;
using testkit::string;
using testkit::unit_entry;

constexpr CodeRange kCode[] = {{0x1000, 0x10000000}};

/// The field that refuses the file; empty: it is translated. Fails the test where it takes too long.
std::string refusal_of(const dwarf::Sections& sections, const CodeSymbols& symbols = {}) {
  testkit::CheckingSink sink;
  sink.module({.producer_kind = "dwarf"});
  const auto start = std::chrono::steady_clock::now();
  const auto done = translate_dwarf({.sections = sections, .code = kCode, .symbols = &symbols}, sink);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  return done ? "" : std::string(done.error().field);
}

/// A subprogram at 0x1000 to 0x1010 with these attributes besides.
Entry subprogram(std::vector<testkit::Attribute> more) {
  Entry out =
      entry(Tag::subprogram, {data(At::low_pc, 0x1000, Form::addr), data(At::high_pc, 16, Form::implicit_const)});
  out.attributes.insert(out.attributes.end(), more.begin(), more.end());
  return out;
}

TEST(FromDwarfHostile, UnitsThatShareALineTable) {
  DwarfImage image;
  testkit::LineProgram program;
  program.address(0x10);  // no code

  for (int i = 0; i < 1 << 20; ++i) program.op(0x20);
  image.line.bytes(
      testkit::assemble({.tables = testkit::described_tables(), .program = program.end_sequence().finish()}));
  for (int i = 0; i < 2000; ++i) {  // one directory would make one table of them
    Entry unit = lined_unit({});
    unit.attributes[1] = string(At::comp_dir, i % 2 == 0 ? "/a" : "/b");
    image.unit(unit);
  }
  EXPECT_EQ(refusal_of(image.finish().sections), "dwarf.line");
}

TEST(FromDwarfHostile, UnitsThatShareABrokenLineTable) {
  DwarfImage image;
  DwarfBytes names;
  names.u8(1).uleb(1).uleb(8).uleb(200'000);
  for (int i = 0; i < 200'000; ++i) names.c_string("d");
  names.u8(1).uleb(1).uleb(0x7F);  // a form nobody knows
  image.line.bytes(testkit::assemble({.tables = names.finish()}));
  for (int i = 0; i < 2000; ++i) image.unit(lined_unit({}, 0, {string(At::comp_dir, fmt::format("{}", i))}));
  for (int i = 0; i < 2000; ++i) {
    Entry unit = lined_unit({});
    unit.attributes[1] = string(At::comp_dir, i % 2 == 0 ? "/a" : "/b");
    image.unit(unit);
  }
  EXPECT_EQ(refusal_of(image.finish().sections), "dwarf.line");
}

TEST(FromDwarfHostile, EntriesThatShareARangeList) {
  for (const bool empty : {false, true}) {
    DwarfImage image({.version = 4});
    for (int i = 0; i < 1 << 15; ++i) image.ranges.u64(empty ? ~std::uint64_t{0} : 0x1000).u64(0x1010);
    image.ranges.u64(0).u64(0);
    std::vector<Entry> entries(50'000, entry(Tag::subprogram, {data(At::ranges, 0, Form::sec_offset)}));
    image.unit(unit_entry({}, entries));
    const auto field = refusal_of(image.finish().sections);
    EXPECT_TRUE(field == "dwarf.ranges" || field == "dwarf.functions") << field;
  }
}

TEST(FromDwarfHostile, FunctionsThatShareRows) {
  DwarfImage image;
  testkit::LineProgram program;
  program.address(0x1000);
  for (int i = 0; i < 1 << 18; ++i) program.op(0x20);
  image.line.bytes(
      testkit::assemble({.tables = testkit::described_tables(), .program = program.pc(1).end_sequence().finish()}));
  image.unit(lined_unit(std::vector<Entry>(20'000, function("f", 0x1000, 0x1000000))));
  EXPECT_EQ(refusal_of(image.finish().sections), "dwarf.functions");
}

TEST(FromDwarfHostile, EntriesThatShareALongText) {
  for (const bool ended : {true, false}) {  // each name starts at another byte of it
    DwarfImage image;
    image.str.bytes(std::vector<std::byte>(1 << 20, std::byte{'x'}));
    if (ended) image.str.u8(0);
    std::vector<Entry> entries;
    for (std::uint64_t i = 0; i < 50'000; ++i) entries.push_back(subprogram({data(At::name, i, Form::strp)}));
    image.unit(unit_entry({}, entries));
    EXPECT_EQ(refusal_of(image.finish().sections), "dwarf.work") << ended;
  }
}

TEST(FromDwarfHostile, UnitsThatShareALongDirectory) {
  for (const bool ended : {true, false}) {
    DwarfImage image;
    image.str.bytes(std::vector<std::byte>(1 << 20, std::byte{'x'}));
    if (ended) image.str.u8(0);
    for (std::uint64_t i = 0; i < 50'000; ++i)
      image.unit(unit_entry({data(At::comp_dir, i, Form::strp), data(At::stmt_list, 0, Form::sec_offset)}, {}));
    EXPECT_EQ(refusal_of(image.finish().sections), "dwarf.work") << ended;
  }
}

TEST(FromDwarfHostile, ReferencesIntoALongEntry) {
  DwarfImage image;
  std::vector<Entry> entries = {
      entry(Tag::subprogram, {data(At::high_pc, 0, Form::flag_present), string(At{0x25}, std::string(1 << 20, '\2'))},
            {}, "long")};
  entries.insert(entries.begin(), function("first", 0x1000, 4));  // its code is 2, that of the long one 3
  image.unit(unit_entry({}, entries));
  const std::uint64_t start = image.at("long");
  std::vector<Entry> many;
  for (std::uint64_t i = 0; i < 50'000; ++i)
    many.push_back(subprogram({data(At::abstract_origin, start + 2 + i, Form::ref_addr)}));
  image.unit(unit_entry({}, many));
  auto done = image.finish();
  for (std::byte& byte : std::span(done.info).subspan(start + 1, 1 << 20)) byte = std::byte{3};
  EXPECT_EQ(refusal_of(done.sections), "dwarf.work");
}

TEST(FromDwarfHostile, EntriesWithoutBytes) {  // a declaration of 200000 attributes that stand in it
  DwarfImage image;
  Entry one = entry(Tag::subprogram, {data(At::low_pc, 0x1000, Form::implicit_const)});
  for (int i = 0; i < 200'000; ++i)
    one.attributes.push_back(data(i % 2 == 0 ? At::call_line : At::high_pc, 3, Form::implicit_const));
  image.unit(unit_entry({}, std::vector<Entry>(2, one)));
  auto done = image.finish();
  auto& info = done.info;
  info.insert(info.end() - 1, 1'000'000, info[info.size() - 2]);
  const u32le size(static_cast<std::uint32_t>(info.size() - 4));
  testkit::patch(info, 0, size);
  done.sections.info = info;
  EXPECT_EQ(refusal_of(done.sections), "");
}

TEST(FromDwarfHostile, SymbolsOfOneAddress) {
  std::vector<std::string> names;
  for (int i = 0; i < 50'000; ++i) names.push_back(fmt::format("{:01000}", i));
  CodeSymbols symbols;
  for (const std::string& name : names) symbols.add({.address = 0x1000, .size = 0x10, .name = name});
  symbols.finish(kCode);
  DwarfImage image;
  image.unit(unit_entry({}, std::vector<Entry>(50'000, function("f", 0x1000, 8))));
  EXPECT_NE(refusal_of(image.finish().sections, symbols), "");
}

TEST(FromDwarfHostile, SequencesOnTopOfEachOther) {
  DwarfImage image;
  std::vector<testkit::SequenceSpec> sequences;
  std::vector<Entry> functions;
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    sequences.push_back({{{0x1000 + i, 1 + i % 7}}, 0x100000 - i});
    functions.push_back(function("f", 0x200000 + 16 * i, 4));
  }
  image.line.bytes(line_table(sequences));
  image.unit(lined_unit(functions));
  EXPECT_EQ(refusal_of(image.finish().sections), "");
}

TEST(FromDwarfHostile, ManySectionsOfCode) {
  std::vector<CodeRange> code;
  std::vector<Entry> functions;
  for (std::uint64_t i = 60'000; i-- > 0;) code.push_back({i * 32, i * 32 + 16});
  for (std::uint64_t i = 0; i < 60'000; ++i) functions.push_back(function("f", i * 32, 16));
  DwarfImage image;
  image.unit(unit_entry({}, functions));
  const auto done = image.finish();
  testkit::CheckingSink sink;
  sink.module({.producer_kind = "dwarf"});
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(translate_dwarf({.sections = done.sections, .code = code}, sink));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(sink.functions, 60'000u);
}

TEST(FromDwarfHostile, DeepEntries) {
  for (const std::size_t depth : {1000u, 1u << 17}) {
    DwarfImage image;
    image.unit(unit_entry({}, {entry(Tag{0x0b}, {}, {entry(Tag{0x0b}, {})})}));
    auto done = image.finish();
    auto& info = done.info;
    info.insert(info.end() - 2, depth, info[info.size() - 4]);
    const u32le size(static_cast<std::uint32_t>(info.size() - 4));
    testkit::patch(info, 0, size);
    done.sections.info = info;
    EXPECT_EQ(refusal_of(done.sections), depth > 1000 ? "dwarf.die.depth" : "") << depth;
  }
}

TEST(FromDwarfHostile, RealWorkIsWithinTheBudget) {  // thousands of units that share one abbreviation table
  DwarfImage image;
  for (std::uint64_t i = 0; i < 5000; ++i)
    image.unit(unit_entry(
        {}, {function(fmt::format("f{}", i), 0x1000 + 64 * i, 64, {inlined("leaf", 0x1010 + 64 * i, 4, 1, 2)})}));
  EXPECT_EQ(refusal_of(image.finish().sections), "");
}

struct NumberedUnits {
  std::vector<Entry> units;
  std::vector<std::byte> lines;
};

/// Units with functions, inlined calls, clones, code in pieces and lines; some functions are in several units.
NumberedUnits many_units(std::size_t count, DwarfImage& image) {
  NumberedUnits out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t at = 0x1000 + 0x100 * i;
    const std::uint64_t list = image.rnglists.size();
    image.rnglists.u8(6).u64(at + 0x40).u64(at + 0x50).u8(6).u64(0x900000 + at).u64(0x900008 + at).u8(0);
    const auto table = line_table({{{{at, 5}, {at + 8, 9, 2}, {at + 0x44, 7}}, at + 0x100}});
    out.units.push_back(lined_unit({function(fmt::format("f{}", i), at, 0x20, {inlined("leaf", at + 4, 8, 1, 3)}),
                                    function("everywhere", 0x1000, 0x10 + i % 3),
                                    entry(Tag::subprogram, {string(At::name, fmt::format("split{}", i % 5)),
                                                            data(At::ranges, list, Form::sec_offset)})},
                                   out.lines.size()));
    out.lines.insert(out.lines.end(), table.begin(), table.end());
  }
  image.line.bytes(out.lines);
  return out;
}

std::vector<std::byte> symcache_of(const dwarf::Sections& sections, unsigned threads) {
  CodeSymbols symbols;
  for (std::uint64_t i = 0; i < 100; ++i) symbols.add({.address = 0x1060 + 0x100 * i, .size = 0x30, .name = "gap"});
  symbols.finish(kCode);
  symcache::Writer writer;
  writer.module({.producer_kind = "dwarf"});
  const auto done =
      translate_dwarf({.sections = sections, .code = kCode, .symbols = &symbols, .threads = threads}, writer);
  EXPECT_TRUE(done) << to_string(done.error());
  return std::move(writer).finish();
}

TEST(FromDwarf, SameBytesFromAnyNumberOfThreads) {
  DwarfImage image;
  const NumberedUnits units = many_units(200, image);
  for (const Entry& unit : units.units) image.unit(unit);
  const auto done = image.finish();
  const auto want = symcache_of(done.sections, 1);
  ASSERT_GT(want.size(), 2000u);
  for (const unsigned threads : {2u, 4u, 64u}) EXPECT_TRUE(symcache_of(done.sections, threads) == want) << threads;
}

TEST(FromDwarf, SameBytesFromUnitsInAnyOrder) {
  std::vector<std::byte> want;
  std::mt19937 random(7);
  for (int round = 0; round < 4; ++round) {
    DwarfImage image;
    NumberedUnits units = many_units(50, image);
    for (Entry& unit : units.units)
      std::erase_if(unit.children, [](const Entry& e) { return e.attributes.back().text == "everywhere"; });
    if (round > 0) std::ranges::shuffle(units.units, random);
    for (const Entry& unit : units.units) image.unit(unit);
    const auto bytes = symcache_of(image.finish().sections, 1);
    if (round == 0) want = bytes;
    EXPECT_TRUE(bytes == want) << round;
  }
}

TEST(FromDwarf, TheErrorIsThatOfTheFirstUnit) {
  DwarfImage image;
  for (int i = 0; i < 100; ++i) image.unit(unit_entry({}, {function("f", 0x1000, 8)}));
  auto done = image.finish();
  const std::size_t size = done.info.size() / 100;
  done.info[size * 90 - 1] = std::byte{9};
  done.info[size * 40 - 1] = std::byte{9};
  for (const unsigned threads : {1u, 4u}) {
    symcache::Writer writer;
    writer.module({.producer_kind = "dwarf"});
    const auto result = translate_dwarf({.sections = done.sections, .code = kCode, .threads = threads}, writer);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().field, "dwarf.die.abbrev");
    EXPECT_EQ(result.error().offset, size * 40) << threads;
  }
}

/// Everything at once, small.
std::vector<std::byte> rich_dwarf(const DwarfImage::Format& format, bool with_more_files = true) {
  DwarfImage image(format);
  image.line.bytes(
      line_table({{{{0x1000, 10, 1, 3}, {0x1008, 5, 2}, {0x1010, 11}}, 0x1040}, {{{0x2000, 3}}, 0x2010}}, format));
  const std::uint64_t name = image.text("a name");
  for (const std::uint64_t value : {0x1020, 0x1030, 0x2000, 0x2008, 0, 0}) image.put_address(image.ranges, value);
  image.rnglists.u8(6), image.put_address(image.rnglists, 0x1020), image.put_address(image.rnglists, 0x1030);
  image.rnglists.u8(7), image.put_address(image.rnglists, 0x2000), image.rnglists.uleb(8).u8(0);
  const Form offset = format.version >= 4 ? Form::sec_offset : Form::data4;
  image.unit(lined_unit({
      entry(Tag::subprogram, {string(At::name, "origin"), string(At::linkage_name, "_Z6originv")}, {}, "o"),
      function("run", 0x1000, 0x20, {inlined("call", 0x1008, 8, 2, 7, {inlined("deep", 0x100a, 2, 1, 8)})}),
      entry(Tag::subprogram, {data(At::name, name, Form::strp), data(At::ranges, 0, offset)},
            {entry(Tag::inlined_subroutine, {testkit::reference(At::abstract_origin, "o"), address(At::low_pc, 0x1024),
                                             data(At::high_pc, 4, Form::data1)})}),
  }));
  image.unit(lined_unit({entry(Tag::subprogram, {testkit::reference(At::abstract_origin, "o", Form::ref_addr),
                                                 address(At::low_pc, 0x1034), data(At::high_pc, 4, Form::data1)}),
                         entry(Tag::subprogram, {data(At::name, 0, Form::gnu_strp_alt), address(At::low_pc, 0x1038),
                                                 data(At::high_pc, 4, Form::data1)})}));
  auto out = testkit::pack_dwarf(image.finish().sections);
  if (!with_more_files) return out;
  DwarfImage other(format);
  other.text("elsewhere");
  other.unit(unit_entry({data(At::gnu_dwo_id, 5)}, {function("split", 0x1100, 8)}),
             {dwarf::UnitType::split_compile, 5});
  const auto more = testkit::pack_dwarf(other.finish().sections);
  out.insert(out.end(), more.begin(), more.end());
  out.insert(out.end(), more.begin(), more.end());
  for (const char byte : {'\0', '\4', '\10', 'a', '\2', '\5', '\11', 'b', '\0', '\10', '\0', 'c'})
    out.push_back(static_cast<std::byte>(byte));
  return out;
}

TEST(FromDwarfFuzzCorpus, IsAssembled) {
  const std::vector<testkit::StoredInput> inputs = {
      {"version2_big.bin", rich_dwarf({2, true, 4, 4})},
      {"version3_wide.bin", rich_dwarf({3, false, 8, 8})},
      {"version4.bin", rich_dwarf({4, false, 4, 8})},
      {"version5.bin", rich_dwarf({5, false, 4, 8})},
      {"version5_alone.bin", rich_dwarf({5, false, 4, 4}, false)},
      {"version5_big_wide.bin", rich_dwarf({5, true, 8, 8})},
  };
  testkit::expect_stored("object/dwarf/fuzz_corpus/translate_fuzz", inputs);
}

TEST(FromDwarfHostile, EveryCutAndFlipIsSurvived) {
  for (const DwarfImage::Format& format : {DwarfImage::Format{5, false, 4, 8}, DwarfImage::Format{3, true, 8, 4}}) {
    auto packed = rich_dwarf(format, false);
    const auto translate = [](Bytes bytes) {
      const testkit::Exact exact(bytes);
      testkit::CheckingSink sink;
      sink.module({.producer_kind = "dwarf"});
      const auto done = translate_dwarf({.sections = testkit::unpack_dwarf(exact.bytes()), .code = kCode}, sink);
      EXPECT_TRUE(done || done.error().field.starts_with("dwarf."));
      return sink.functions;
    };
    EXPECT_EQ(translate(packed), 7u);  // two of them for rows of no function
    for (std::size_t n = 0; n < packed.size(); ++n) translate(Bytes(packed).first(n));
    for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
      packed[bit / 8] ^= std::byte{1} << bit % 8;
      translate(packed);
      packed[bit / 8] ^= std::byte{1} << bit % 8;
    }
  }
}

}  // namespace
}  // namespace symcached::object
