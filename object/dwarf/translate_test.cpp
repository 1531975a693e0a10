/// From DWARF to the model: docs/formats/dwarf.md as tables.
#include "object/dwarf/translate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/dwarf/rows.hpp"
#include "testing/model_text.hpp"

namespace symcached::object {
namespace {

using dwarf::At;
using dwarf::Form;
using dwarf::Tag;
using dwarf::UnitType;
using testing::ElementsAre;
using testing::IsEmpty;
using testkit::address;
using testkit::Attribute;
using testkit::data;
using testkit::DwarfImage;
using testkit::Entry;
using testkit::entry;
using testkit::function;
using testkit::indirect;
using testkit::inlined;
using testkit::line_table;
using testkit::lined_unit;
using testkit::reference;
using testkit::string;
using testkit::unit_entry;

constexpr Tag kLexicalBlock{0x0b};
constexpr CodeRange kCode[] = {{0x1000, 0x9000}};

struct Options {
  std::vector<CodeSymbol> symbols = {};
  const dwarf::Sections* supplementary = nullptr;
  std::uint64_t image_base = 0;
  std::span<const CodeRange> code = kCode;
};

std::vector<std::string> text_of(const dwarf::Sections& sections, const Options& options = {}) {
  CodeSymbols symbols;
  for (const CodeSymbol& symbol : options.symbols) symbols.add(symbol);
  symbols.finish(options.code);
  ModelText sink;
  const auto done = translate_dwarf({.sections = sections,
                                     .supplementary = options.supplementary,
                                     .image_base = options.image_base,
                                     .code = options.code,
                                     .symbols = &symbols},
                                    sink);
  return done ? sink.text() : std::vector{to_string(done.error())};
}

std::vector<std::string> text_of(const DwarfImage& image, const Options& options = {}) {
  return text_of(image.finish().sections, options);
}

/// Entries in one unit of DWARF 5, without lines.
std::vector<std::string> text_of(std::vector<Entry> entries, const Options& options = {}) {
  DwarfImage image;
  image.unit(unit_entry({}, std::move(entries)));
  return text_of(image, options);
}

Entry with(Entry entry, std::initializer_list<Attribute> more) {
  entry.attributes.insert(entry.attributes.end(), more);
  return entry;
}

/// A function or a call whose name is somewhere else.
Entry referring(Entry entry, At attribute, std::string_view label, Form form = Form::ref4) {
  return with(std::move(entry), {reference(attribute, label, form)});
}

TEST(FromDwarf, FunctionsWithLinesInEveryEncoding) {
  for (std::uint16_t version = 2; version <= 5; ++version)
    for (const bool big : {false, true})
      for (const auto offset_size : std::initializer_list<std::uint8_t>{4, 8})
        for (const auto address_size : std::initializer_list<std::uint8_t>{2, 4, 8}) {
          const DwarfImage::Format format{version, big, offset_size, address_size};
          DwarfImage image(format);
          image.line.u8(0).bytes(line_table(
              {{{{0x1000, 10, 1, 3}, {0x1004, 11}, {0x1004, 12}, {0x100c, 5, 2, 9}, {0x1010, 0}}, 0x1020}}, format));
          image.unit(lined_unit({function("run", 0x1000, 0x10), function("leaf", 0x1010, 0x10)}, 1));
          EXPECT_THAT(text_of(image), ElementsAre("1000+10 run | 0 /src/a.c:10:3 | 4 /src/a.c:12 | c /usr/b.h:5:9",
                                                  "1010+10 leaf | 0 /src/a.c:0"))
              << version << big << int{offset_size} << int{address_size};
        }
}

TEST(FromDwarf, AddressesAreFromTheImageBase) {
  Options options;
  options.image_base = 0x1800;
  EXPECT_THAT(
      text_of({function("before", 0x1000, 8), function("at", 0x1800, 8), function("behind", 0x2000, 8)}, options),
      ElementsAre("0+8 at", "800+8 behind"));
}

TEST(FromDwarf, InlinedCalls) {
  DwarfImage image;
  image.line.bytes(line_table({{{{0x1000, 10}, {0x1004, 50, 2}, {0x1008, 60, 2, 7}, {0x100c, 11}}, 0x1020}}));
  Entry inner = with(inlined("inner", 0x1008, 4, 2, 51), {data(At::call_column, 5)});
  Entry outer = inlined("outer", 0x1004, 8, 1, 10, {entry(kLexicalBlock, {}, {inner})});
  image.unit(lined_unit({function("run", 0x1000, 0x20, {entry(kLexicalBlock, {}, {outer})})}));
  EXPECT_THAT(text_of(image), ElementsAre("1000+20 run | 0 /src/a.c:10"
                                          " | 4 /usr/b.h:50 outer < /src/a.c:10"
                                          " | 8 /usr/b.h:60:7 inner < /usr/b.h:51:5 outer < /src/a.c:10"
                                          " | c /src/a.c:11"));
}

TEST(FromDwarf, InlinedCallsInPieces) {
  DwarfImage image;
  image.line.bytes(line_table({{{{0x1000, 10}}, 0x1020}}));
  image.rnglists.u8(6).u64(0x1002).u64(0x1004).u8(6).u64(0x1010).u64(0x1014).u8(0);
  Entry call = entry(Tag::inlined_subroutine, {string(At::name, "call"), data(At::ranges, 0, Form::sec_offset),
                                               data(At::call_file, 1), data(At::call_line, 9)});
  image.unit(lined_unit(
      {function("run", 0x1000, 0x20, {call, inlined("dead", 0, 0, 1, 1, {inlined("kept", 0x1018, 4, 1, 7)})})}));
  EXPECT_THAT(text_of(image),
              ElementsAre("1000+20 run | 0 /src/a.c:10 | 2 /src/a.c:10 call < /src/a.c:9 | 4 /src/a.c:10"
                          " | 10 /src/a.c:10 call < /src/a.c:9 | 14 /src/a.c:10"
                          " | 18 /src/a.c:10 kept < /src/a.c:7 | 1c /src/a.c:10"));
}

TEST(FromDwarf, PlacesOfCallsThatCannotBe) {
  Entry wide =
      with(inlined("wide", 0x1000, 4, 99, std::uint64_t{1} << 32), {data(At::call_column, std::uint64_t{1} << 40)});
  EXPECT_THAT(text_of({function("run", 0x1000, 8, {wide})}), ElementsAre("1000+8 run | 0 - wide < - | 4 -"));
}

TEST(FromDwarf, HotAndColdCode) {
  struct Row {
    std::string_view why;
    std::vector<Attribute> more;
    std::vector<std::string> want;
  };
  const std::vector<std::string> first = {"1000+10 run", "2000+8 run cold part of 1000"};
  const std::vector<std::string> second = {"1000+10 run cold part of 2000", "2000+8 run"};
  const Row rows[] = {
      {"the first piece is the entry", {}, first},
      {"the entry is stated", {address(At::entry_pc, 0x2000)}, second},
      {"inside a piece", {address(At::entry_pc, 0x2004)}, second},
      {"outside of all", {address(At::entry_pc, 0x3000)}, first},
      {"as an offset, which nobody writes", {data(At::entry_pc, 0x1000)}, first},
  };
  for (const Row& r : rows) {
    DwarfImage image;
    image.rnglists.u8(6).u64(0x1000).u64(0x1010).u8(6).u64(0x2000).u64(0x2008).u8(0);
    Entry run = entry(Tag::subprogram, {string(At::name, "run"), data(At::ranges, 0, Form::sec_offset)});
    run.attributes.insert(run.attributes.end(), r.more.begin(), r.more.end());
    image.unit(unit_entry({}, {run}));
    EXPECT_EQ(text_of(image), r.want) << r.why;
  }
}

TEST(FromDwarf, ColdCodeHasItsLinesCallsAndSymbol) {
  DwarfImage image;
  image.line.bytes(line_table({{{{0x1000, 10}}, 0x1010}, {{{0x2000, 20}, {0x2004, 30, 2}}, 0x2008}}));
  image.rnglists.u8(6).u64(0x1000).u64(0x1010).u8(6).u64(0x2000).u64(0x2008).u8(0);
  Entry hot_call = inlined("hot_call", 0x1008, 8, 1, 12), cold_call = inlined("cold_call", 0x2004, 4, 1, 21);
  image.unit(lined_unit({entry(Tag::subprogram, {string(At::name, "run"), data(At::ranges, 0, Form::sec_offset)},
                               {hot_call, cold_call})}));
  Options options;
  options.symbols = {{0x2000, 8, "run.cold"}};
  EXPECT_THAT(text_of(image, options),
              ElementsAre("1000+10 run | 0 /src/a.c:10 | 8 /src/a.c:10 hot_call < /src/a.c:12",
                          "2000+8 run.cold cold part of 1000 | 0 /src/a.c:20 | 4 /usr/b.h:30 cold_call < /src/a.c:21",
                          "2000+8 run.cold public"));
}

TEST(FromDwarf, NamesThroughReferences) {
  const auto call_of = [](std::string_view label) {
    return referring(function("", 0x1000, 8), At::abstract_origin, label);
  };
  struct Row {
    std::string_view why;
    std::vector<Entry> entries;
    std::string want;
  };
  const auto linkage = [](std::string_view name) { return string(At::linkage_name, name); };
  const Row rows[] = {
      {"its own", {function("run", 0x1000, 8)}, "run"},
      {"what linkers use comes first", {with(function("run", 0x1000, 8), {linkage("_Z3runv")})}, "_Z3runv"},
      {"as GCC once wrote it",
       {with(function("run", 0x1000, 8), {string(At::mips_linkage_name, "_Z3runv")})},
       "_Z3runv"},
      {"an empty one is none", {with(function("run", 0x1000, 8), {linkage("")})}, "run"},
      {"of the abstract instance", {entry(Tag::subprogram, {string(At::name, "run")}, {}, "o"), call_of("o")}, "run"},
      {"of its declaration",
       {entry(Tag{0x13}, {}, {entry(Tag::subprogram, {string(At::name, "run"), linkage("_ZN1C3runEv")}, {}, "d")}),
        entry(Tag::subprogram, {reference(At::specification, "d")}, {}, "o"), call_of("o")},
       "_ZN1C3runEv"},
      {"what linkers use, wherever it stands",
       {entry(Tag::subprogram, {string(At::name, "C"), linkage("_ZN1CC2Ev")}, {}, "o"),
        with(call_of("o"), {string(At::name, "mine")})},
       "_ZN1CC2Ev"},
      {"its own before a plain one it refers to",
       {entry(Tag::subprogram, {string(At::name, "other")}, {}, "o"), with(call_of("o"), {string(At::name, "mine")})},
       "mine"},
      {"a reference to itself", {function("", 0x1000, 8).named("me"), call_of("me")}, ""},
      {"a ring",
       {entry(Tag::subprogram, {reference(At::specification, "b")}, {}, "a"),
        entry(Tag::subprogram, {reference(At::abstract_origin, "a")}, {}, "b"), call_of("a")},
       ""},
      {"an entry that is no function", {entry(Tag{0x24}, {string(At::name, "int")}, {}, "t"), call_of("t")}, ""},
      {"a reference of no class", {with(function("", 0x1000, 8), {data(At::abstract_origin, 12)})}, ""},
      {"a reference out of the unit",
       {with(function("", 0x1000, 8), {data(At::abstract_origin, 0x7FFFFFFF, Form::ref4)})},
       ""},
      {"into the header", {with(function("", 0x1000, 8), {data(At::abstract_origin, 3, Form::ref4)})}, ""},
      {"out of the section",
       {with(function("", 0x1000, 8), {data(At::abstract_origin, 0x7FFFFFFF, Form::ref_addr)})},
       ""},
      {"a supplementary file that is not there",
       {with(function("", 0x1000, 8), {data(At::abstract_origin, 20, Form::gnu_ref_alt)})},
       ""},
  };
  for (const Row& r : rows) {
    std::vector<std::string> found = text_of(r.entries);
    ASSERT_FALSE(found.empty()) << r.why;
    EXPECT_EQ(found.back(), "1000+8 " + r.want) << r.why;
  }
}

TEST(FromDwarf, EveryFormOfReference) {
  for (const Form form : {Form::ref1, Form::ref2, Form::ref4, Form::ref8, Form::ref_udata, Form::ref_addr})
    for (const bool packed : {false, true})
      for (const bool big : {false, true}) {
        DwarfImage image({.big = big});
        image.unit(unit_entry({}, {function("other", 0x1800, 8)}));
        Attribute to = reference(At::abstract_origin, "o", form);
        if (packed) to = indirect(to);
        image.unit(unit_entry(
            {}, {entry(Tag::subprogram, {string(At::name, "run")}, {}, "o"), with(function("", 0x1000, 8), {to})}));
        EXPECT_THAT(text_of(image), ElementsAre("1000+8 run", "1800+8 other"))
            << static_cast<int>(form) << packed << big;
      }
}

TEST(FromDwarf, ReferencesIntoOtherUnits) {
  DwarfImage image;
  image.unit(unit_entry({}, {referring(function("", 0x1000, 8), At::abstract_origin, "later", Form::ref_addr)}));
  image.unit(
      entry(Tag::partial_unit, {},
            {entry(Tag::subprogram, {string(At::name, "shared"), address(At::low_pc, 0x3000), data(At::high_pc, 8)}, {},
                   "later")}),
      {UnitType::partial});
  EXPECT_THAT(text_of(image), ElementsAre("1000+8 shared"));  // parts shared by units have no code of their own
}

TEST(FromDwarf, LongChainsOfReferencesEnd) {
  for (const int length : {10, 16, 40}) {
    std::vector<Entry> entries = {entry(Tag::subprogram, {string(At::name, "end")}, {}, "0")};
    for (int i = 1; i < length; ++i)
      entries.push_back(
          entry(Tag::subprogram, {reference(At::specification, std::to_string(i - 1))}, {}, std::to_string(i)));
    entries.push_back(referring(function("", 0x1000, 8), At::abstract_origin, std::to_string(length - 1)));
    EXPECT_THAT(text_of(entries), ElementsAre(length <= 16 ? "1000+8 end" : "1000+8 ")) << length;
  }
}

TEST(FromDwarf, SupplementaryFiles) {  // what dwz writes
  DwarfImage shared;
  const std::uint64_t name = shared.text("from the other file");
  shared.unit(entry(Tag::partial_unit, {}, {entry(Tag::subprogram, {data(At::name, name, Form::strp)}, {}, "o")}),
              {UnitType::partial});
  const auto supplementary = shared.finish();
  Options options;
  options.supplementary = &supplementary.sections;
  const auto at = [](std::uint64_t low, Attribute a) { return with(function("", low, 8), {std::move(a)}); };
  const std::uint64_t origin = shared.at("o");
  const std::vector<Entry> entries = {
      at(0x1000, data(At::abstract_origin, origin, Form::gnu_ref_alt)),
      at(0x1100, data(At::abstract_origin, origin, Form::ref_sup4)),
      at(0x1200, data(At::abstract_origin, origin, Form::ref_sup8)),
      at(0x1300, data(At::name, name, Form::gnu_strp_alt)),
      at(0x1400, data(At::name, name, Form::strp_sup)),
      at(0x1500, data(At::name, 10000, Form::strp_sup)),
  };
  EXPECT_THAT(text_of(entries, options),
              ElementsAre("1000+8 from the other file", "1100+8 from the other file", "1200+8 from the other file",
                          "1300+8 from the other file", "1400+8 from the other file", "1500+8 "));
}

TEST(FromDwarf, WhatHasNoCode) {
  DwarfImage image;
  const auto declared = entry(Tag::subprogram, {string(At::name, "declared")}, {inlined("in it", 0x1000, 4, 1, 1)});
  image.unit(unit_entry({}, {declared, inlined("outside of functions", 0x1000, 8, 1, 1), function("empty", 0x1000, 0),
                             entry(Tag::subprogram, {string(At::name, "no end"), address(At::low_pc, 0x1000)})}));
  image.unit(entry(Tag::type_unit, {}, {function("in a type unit", 0x1000, 8)}), {UnitType::type, 5});
  image.unit(entry(Tag::compile_unit, {}));
  image.unit(entry(Tag{0x34}, {}, {function("in no unit", 0x1000, 8)}));
  EXPECT_THAT(text_of(image), IsEmpty());
}

TEST(FromDwarf, DroppedFunctions) {  // what linkers leave behind
  for (const std::uint64_t low : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, ~std::uint64_t{1},
                                  std::uint64_t{0xFFFFFFFF}, std::uint64_t{0x9000}, std::uint64_t{0xFFF}})
    EXPECT_THAT(
        text_of({function("dropped", low, 0x2000, {inlined("in it", 0x1000, 4, 1, 1)}), function("kept", 0x1000, 8)}),
        ElementsAre("1000+8 kept"))
        << low;
  DwarfImage image;
  image.line.bytes(line_table({{{{0, 99}}, 0x2000}, {{{0x1000, 10}}, 0x1008}, {{{0x9000, 98}}, 0xA000}}));
  image.unit(lined_unit({function("kept", 0x1000, 8)}));
  EXPECT_THAT(text_of(image), ElementsAre("1000+8 kept | 0 /src/a.c:10"));
}

TEST(FromDwarf, CodeRangesInAnyOrder) {
  const CodeRange code[] = {{0x5000, 0x6000}, {0x1000, 0x2000}, {0x1800, 0x1900}, {0x2000, 0x3000}};
  Options options;
  options.code = code;
  EXPECT_THAT(text_of({function("a", 0x1000, 8), function("b", 0x1f00, 8), function("c", 0x2000, 8),
                       function("no", 0x3000, 8), function("d", 0x5fff, 8)},
                      options),
              ElementsAre("1000+8 a", "1f00+8 b", "2000+8 c", "5fff+8 d"));
  options.code = {};  // nobody knows where code is
  EXPECT_THAT(text_of({function("anywhere", 0x77777, 8)}, options), ElementsAre("77777+8 anywhere"));
}

TEST(FromDwarf, FunctionsInFunctions) {  // Ada, Pascal, GCC's nested functions; local classes
  const Entry nested = function("nested", 0x1008, 8, {inlined("in nested", 0x100a, 2, 1, 1)});
  EXPECT_THAT(text_of({function("outer", 0x1000, 0x20,
                                {entry(Tag{0x13}, {}, {nested}), inlined("in outer", 0x1010, 4, 1, 2)})}),
              ElementsAre("1000+20 outer | 10 - in outer < :2 | 14 -", "1008+8 nested | 2 - in nested < :1 | 4 -"));
}

TEST(FromDwarf, FunctionsThatAreThereTwice) {
  DwarfImage image;
  image.unit(unit_entry({}, {function("first", 0x1000, 8), function("again", 0x1000, 8)}));
  image.unit(unit_entry({}, {function("first", 0x1000, 8), function("longer", 0x1000, 16)}));
  EXPECT_THAT(text_of(image), ElementsAre("1000+8 first", "1000+8 again", "1000+8 first", "1000+10 longer"));
}

TEST(FromDwarf, UnitsThatEndInsideAFunction) {
  Entry open = function("open", 0x1000, 8, {inlined("call", 0x1000, 4, 1, 3)});
  open.unended = true;
  Entry root = unit_entry({}, {open});
  root.unended = true;
  DwarfImage image;
  image.unit(root);
  image.unit(unit_entry({}, {function("next", 0x2000, 8)}));
  EXPECT_THAT(text_of(image), ElementsAre("1000+8 open | 0 - call < :3 | 4 -", "2000+8 next"));
}

TEST(FromDwarf, NamesOfTheSymbolTable) {
  struct Row {
    std::string_view why;
    std::string_view name;
    std::vector<CodeSymbol> symbols;
    std::string_view want;
  };
  using Binding = CodeSymbol::Binding;
  const Row rows[] = {
      {"none there", "run", {}, "run"},
      {"the same", "run", {{0x1000, 8, "run"}}, "run"},
      {"a clone", "run", {{0x1000, 8, "run.constprop.0", Binding::local}}, "run.constprop.0"},
      {"which constructor it is", "_ZN1CC4Ev", {{0x1000, 8, "_ZN1CC1Ev"}}, "_ZN1CC1Ev"},
      {"of several the one that DWARF has too",
       "weak",
       {{0x1000, 8, "strong"}, {0x1000, 8, "weak", Binding::weak}},
       "weak"},
      {"of several others the first", "run", {{0x1000, 8, "b", Binding::weak}, {0x1000, 8, "c"}}, "c"},
      {"DWARF has none", "", {{0x1000, 8, "main"}}, "main"},
      {"one that starts elsewhere", "run", {{0x1001, 7, "other"}}, "run"},
  };
  for (const Row& r : rows) {
    Options options;
    options.symbols = r.symbols;
    const auto found = text_of({function(r.name, 0x1000, 8)}, options);
    EXPECT_EQ(found.at(0), fmt::format("1000+8 {}", r.want)) << r.why;
  }
}

TEST(FromDwarf, SymbolsWhereNoFunctionIs) {
  Options options;
  options.symbols = {{0x1000, 8, "run"},
                     {0x2000, 0x10, "startup"},
                     {0x3000, 6, "puts", CodeSymbol::Binding::global, true},
                     {0x1004, 8, "tail"}};
  EXPECT_THAT(text_of({function("run", 0x1000, 8)}, options),
              ElementsAre("1000+8 run", "1000+8 run public", "1008+4 tail public", "2000+10 startup public",
                          "3000+6 puts thunk"));
}

TEST(FromDwarf, AssemblyIsNamedBySymbols) {
  DwarfImage image;
  image.line.bytes(line_table({{{{0x1000, 1}, {0x1008, 2}, {0x1010, 3}, {0x1020, 4}}, 0x1030}}));
  image.unit(lined_unit({function("in C", 0x1010, 8)}));
  Options options;
  options.symbols = {{0x1000, 8, "start"}, {0x1008, 4, "helper"}};
  EXPECT_THAT(
      text_of(image, options),
      ElementsAre("1000+8 start | 0 /src/a.c:1", "1000+8 start public", "1008+4 helper | 0 /src/a.c:2",
                  "1008+4 helper public", "1010+8 in C | 0 /src/a.c:3", "1018+18  | 0 /src/a.c:3 | 8 /src/a.c:4"));
}

TEST(FromDwarf, PaddingBetweenFunctionsIsNobodys) {
  DwarfImage image;
  image.line.bytes(line_table({{{{0x1000, 1}, {0x1010, 2}}, 0x1020}}));
  image.unit(lined_unit({function("a", 0x1000, 0xa), function("b", 0x1010, 0x10)}));
  EXPECT_THAT(text_of(image), ElementsAre("1000+a a | 0 /src/a.c:1", "1010+10 b | 0 /src/a.c:2"));
}

TEST(FromDwarf, SequencesOnTopOfEachOther) {  // at each address the one that starts last counts
  DwarfImage image;
  image.line.bytes(line_table({{{{0x1000, 1}, {0x1100, 2}}, 0x1200}, {{{0x1040, 7}}, 0x1080}}));
  image.unit(lined_unit({function("a", 0x1000, 0x40), function("b", 0x1040, 0x40), function("c", 0x1080, 0x100),
                         function("d", 0x1180, 0x80)}));
  EXPECT_THAT(text_of(image), ElementsAre("1000+40 a | 0 /src/a.c:1", "1040+40 b | 0 /src/a.c:7",
                                          "1080+100 c | 0 /src/a.c:1 | 80 /src/a.c:2", "1180+80 d | 0 /src/a.c:2"));
}

TEST(FromDwarf, LineTablesThatBreakOff) {
  const auto with_table = [](std::vector<std::byte> table) {
    DwarfImage image;
    image.line.bytes(table);
    image.unit(lined_unit({function("a", 0x1000, 0x10), function("b", 0x2000, 0x10)}));
    return text_of(image);
  };
  auto whole = line_table({{{{0x1000, 1}}, 0x1010}, {{{0x2000, 5}}, 0x2010}});
  EXPECT_THAT(with_table(whole), ElementsAre("1000+10 a | 0 /src/a.c:1", "2000+10 b | 0 /src/a.c:5"));
  auto broken = whole;
  const std::size_t size = testkit::program_of({{{{0x2000, 5}}, 0x2010}}).size();
  broken[whole.size() - size + 1] = std::byte{0xFF};  // the length of the address
  EXPECT_THAT(with_table(broken), ElementsAre("1000+10 a | 0 /src/a.c:1", "2000+10 b"));
  broken = whole;
  broken[4] = std::byte{9};  // the version
  EXPECT_THAT(with_table(broken), ElementsAre("1000+10 a", "2000+10 b"));
  whole.resize(whole.size() - 1);
  EXPECT_THAT(with_table(whole), ElementsAre("1000+10 a", "2000+10 b"));
  EXPECT_THAT(with_table({}), ElementsAre("1000+10 a", "2000+10 b"));
}

TEST(FromDwarf, RangeListsThatBreakOff) {
  DwarfImage image;
  image.rnglists.u8(6).u64(0x1000).u64(0x1010).u8(0x77);
  image.unit(
      unit_entry({}, {entry(Tag::subprogram, {string(At::name, "run"), data(At::ranges, 0, Form::sec_offset)})}));
  EXPECT_THAT(text_of(image), ElementsAre("1000+10 run"));
}

TEST(FromDwarf, EntriesThatCannotBeReadRefuseTheFile) {
  DwarfImage image;
  image.unit(unit_entry({}, {function("good", 0x1000, 8)}));
  image.unit(unit_entry({}, {function("bad", 0x2000, 8)}));
  auto done = image.finish();
  EXPECT_THAT(text_of(done.sections), ElementsAre("1000+8 good", "2000+8 bad"));
  auto broken = done.info;
  broken[broken.size() - 1] = std::byte{9};  // an entry of no declaration
  done.sections.info = broken;
  EXPECT_THAT(text_of(done.sections), ElementsAre(testing::HasSubstr("(dwarf.die.abbrev ")));
  broken[broken.size() - 1] = std::byte{2};  // an entry behind which the unit ends
  EXPECT_THAT(text_of(done.sections), ElementsAre(testing::HasSubstr("(dwarf.die ")));
}

TEST(FromDwarf, Languages) {
  struct Row {
    std::uint64_t value;
    model::Language want;
  };
  using model::Language;
  for (const Row& r :
       {Row{0x1d, Language::c}, Row{0x21, Language::cpp}, Row{0x1c, Language::rust}, Row{0x1e, Language::swift},
        Row{0x16, Language::go}, Row{0x8001, Language::assembly}, Row{0x7777, Language::unknown}}) {
    DwarfImage image;
    image.unit(unit_entry({data(At::language, r.value, Form::data2)}, {function("f", 0x1000, 8)}));
    const auto done = image.finish();
    ModelText sink;
    ASSERT_TRUE(translate_dwarf({.sections = done.sections, .code = kCode}, sink));
    EXPECT_THAT(sink.languages(), ElementsAre(r.want)) << r.value;
  }
}

}  // namespace
}  // namespace symcached::object
