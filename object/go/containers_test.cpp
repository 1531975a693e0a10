#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/go/in_elf.hpp"
#include "object/go/in_macho.hpp"
#include "object/go/in_pe.hpp"
#include "object/go/translate.hpp"
#include "testing/elf/image.hpp"
#include "testing/go/program.hpp"
#include "testing/macho/image.hpp"
#include "testing/model_text.hpp"
#include "testing/pe/image.hpp"

namespace symcached::object {
namespace {

using namespace std::string_view_literals;
using elf::SectionType;
using testing::ElementsAre;
using testkit::ElfImage;
using testkit::ElfSection;
using testkit::GoRelease;
using testkit::GoTableSpec;
using testkit::kGoData;
using testkit::kGoReleases;
using testkit::kGoTable;
using testkit::kGoText;
using testkit::kGoTrees;
using testkit::small_go_table;
using Data = std::vector<std::byte>;

constexpr std::uint64_t kAlloc = elf::kFlagAlloc, kWritable = elf::kFlagAlloc | 1;

std::vector<std::string> names_of(const std::optional<GoProgram>& program, std::uint64_t base) {
  if (!program) return {"no program"};
  ModelText sink;
  if (const auto done = translate_go(*program, base, sink); !done) return {to_string(done.error())};
  std::vector<std::string> names;
  for (const std::string& line : sink.text()) names.push_back(line.substr(0, line.find(" | 18 ")));
  return names;
}

const auto kNames =
    ElementsAre("1000+30 main.main | 0 a/main.go:5 | 10 a/main.go:31 main.outer < a/main.go:5",
                "1040+20 main.sum[go.shape.int] | 0 a/other.go:50", "1040+20 main.sum[...] public", "1080+80 c_code");

/// A program linked for 0x400000 with code, table, trees and module data in sections of their own.
struct ElfProgram {
  ElfImage image;
  testkit::GoTableBytes made;

  ElfProgram(const GoTableSpec& spec, const testkit::GoColumns& columns, std::string table_section) {
    made = testkit::assemble(spec);
    const auto table = *go::Table::open(made.table, spec.container, true);
    image.layout = testkit::layout_of(spec.container);
    image.sections = {
        {.name = ".text",
         .flags = elf::kFlagAlloc | elf::kFlagExecInstr,
         .address = kGoText,
         .data = Data(0x100),
         .alignment = 16},
        {.name = std::move(table_section), .flags = kAlloc, .address = kGoTable, .data = made.table},
        {.name = ".rodata", .flags = kAlloc, .address = kGoTrees, .data = made.trees},
        {.name = ".noptrdata",
         .flags = kWritable,
         .address = kGoData,
         .data = testkit::module_data({.columns = columns, .functions_at = table.functions_at()}, spec.container)},
    };
    image.segments = {{.flags = 4, .address = testkit::kGoBase, .memory_size = 0x1000}};
  }
  Data bytes() const { return testkit::assemble(image); }
  std::vector<std::string> names() const {
    const Data file = bytes();
    return names_of(go_program_of(*elf::File::open(file)), testkit::kGoBase);
  }
  bool has_table() const {
    const Data file = bytes();
    return has_go_table(*elf::File::open(file));
  }
};

TEST(GoInElf, SectionsOfAllNames) {
  for (const GoRelease& release : {kGoReleases[1], kGoReleases[4], kGoReleases[6]})
    for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab"}) {
      const ElfProgram program(small_go_table(release, {}, kGoText), testkit::columns_of(release.form), name);
      EXPECT_THAT(program.names(), kNames) << release.name << " " << name;
      EXPECT_TRUE(program.has_table());
    }
}

TEST(GoInElf, WithinAnotherSection) {
  ElfProgram program(small_go_table(kGoReleases[6], {}, kGoText), testkit::kGoColumns25, ".data.rel.ro");
  EXPECT_THAT(program.names(), ElementsAre("no program")) << "nothing says that it is Go's";
  EXPECT_FALSE(program.has_table());
  program.image.sections.push_back(
      {.name = ".go.buildinfo", .flags = kWritable, .address = 0x700000, .data = Data(32)});
  EXPECT_TRUE(program.has_table());
  EXPECT_THAT(program.names(), kNames);
  program.image.sections.back() = {.name = "",
                                   .type = SectionType::note,
                                   .flags = kAlloc,
                                   .address = 0x400F00,
                                   .data = testkit::elf_note(program.image.layout, "Go\0"sv, 4, as_bytes("A/B/C/D\0")),
                                   .alignment = 4};
  EXPECT_FALSE(program.has_table()) << "notes are looked for where segments are";
  program.image.segments.push_back({.type = elf::kSegmentNote, .section = 5, .alignment = 4});
  EXPECT_THAT(program.names(), kNames);
}

/// lld leaves zeros where a relocation is: those of the list of functions, their records and the module data.
TEST(GoInElf, RelocationsOfPositionIndependentPrograms) {
  const go::Container container{8, false};
  for (const GoRelease& release : {kGoReleases[3], kGoReleases[6]}) {
    ElfProgram program(small_go_table(release, container, kGoText), testkit::columns_of(release.form), ".gopclntab");
    testkit::ElfBytes relocations(program.image.layout);
    for (const std::size_t section : {std::size_t{1}, std::size_t{3}}) {
      ElfSection& with = program.image.sections[section];
      for (std::size_t at = 0; at + 8 <= with.data.size(); at += 8) {
        const auto value = container.load<std::uint64_t>(with.data.data() + at);
        if (value < testkit::kGoBase || value > kGoData + 0x1000) continue;
        std::fill_n(with.data.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{});
        relocations.bytes(
            testkit::elf_relocation(program.image.layout, with.address + at, 0, 8, static_cast<std::int64_t>(value)));
      }
    }
    EXPECT_THAT(program.names(), testing::Not(kNames)) << release.name;
    program.image.sections.push_back({.name = ".rela.dyn",
                                      .type = SectionType::rela,
                                      .flags = kAlloc,
                                      .address = 0x700000,
                                      .data = relocations.finish()});
    EXPECT_THAT(program.names(), kNames) << release.name;
  }
}

TEST(GoInElf, DamagedTablesAreNone) {
  ElfProgram program(small_go_table(kGoReleases[6], {}, kGoText), testkit::kGoColumns25, ".gopclntab");
  program.image.sections[1].data.resize(20);
  EXPECT_FALSE(program.has_table());
  EXPECT_THAT(program.names(), ElementsAre("no program"));
  program.image.sections[1].type = SectionType::nobits;
  EXPECT_FALSE(program.has_table()) << "a debug file has no bytes of it";
}

TEST(GoInMacho, SectionsOfAllSegments) {
  for (const char* segment : {"__TEXT", "__DATA_CONST"}) {
    const auto made = testkit::assemble(small_go_table(kGoReleases[6], {}, kGoText));
    const auto table = *go::Table::open(made.table, {});
    testkit::MachoImage image{.text_address = testkit::kGoBase, .uuid = std::nullopt};
    image.sections = {
        {.segment = "__TEXT", .name = "__text", .address = kGoText, .data = Data(0x100), .flags = testkit::kMachoCode},
        {.segment = segment, .name = "__gopclntab", .address = kGoTable, .data = made.table},
        {.segment = "__DATA_CONST", .name = "__rodata", .address = kGoTrees, .data = made.trees},
        {.segment = "__DATA",
         .name = "__noptrdata",
         .address = kGoData,
         .data = testkit::module_data({.functions_at = table.functions_at()}, {})}};
    const auto bytes = testkit::assemble(image);
    const auto file = macho::File::open(bytes);
    ASSERT_TRUE(file) << to_string(file.error());
    EXPECT_TRUE(has_go_table(*file));
    EXPECT_THAT(names_of(go_program_of(*file), testkit::kGoBase), kNames) << segment;
    EXPECT_NE(go_debug_id_of(*file).value_or(DebugId()), DebugId());
    image.sections[1].name = "__other";
    const auto other = testkit::assemble(image);
    EXPECT_FALSE(has_go_table(*macho::File::open(other)));
    EXPECT_FALSE(go_debug_id_of(*macho::File::open(other)));
  }
}

/// The table is among other data; the code is the 0x100 bytes of .text, and no module data is at hand.
TEST(GoInPe, AnywhereInData) {
  constexpr std::uint64_t kBase = 0x140000000;
  GoTableSpec spec = small_go_table(kGoReleases[7], {}, 0);
  spec.text_start = kBase + testkit::kPeTextRva;
  spec.functions.resize(1);
  spec.functions[0].pc = 0;
  spec.end_pc = 8;
  testkit::PeImage image{.debug_names = false};
  testkit::Section data;
  data.text("Go strings").align(32).bytes(testkit::assemble(spec).table).zeros(100);
  image.extra = {{".rdata2", data.finish()}};
  const auto names = [&] {
    const auto bytes = testkit::assemble(image).finish();
    return names_of(go_program_of(*pe::Image::open(bytes)), kBase);
  };
  EXPECT_THAT(names(), ElementsAre("1000+8 main.main | 0 a/main.go:5"));
  spec.magic = 0x01020304;
  image.extra = {{".rdata2", testkit::Section().zeros(64).bytes(testkit::assemble(spec).table).finish()}};
  EXPECT_THAT(names(), ElementsAre("1000+8 main.main | 0 a/main.go:5")) << "an unknown magic number";
  image.debug = {{.data = testkit::rsds("app.pdb", 1)}};
  EXPECT_THAT(names(), ElementsAre("no program")) << "its names are in the PDB";
}

}  // namespace
}  // namespace symcached::object
