#include "object/elf/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>
#include <lzma.h>
#include <atomic>

#include "base/crc32.hpp"
#include "object/dwarf/in_elf.hpp"
#include "object/elf/describe.hpp"
#include "testing/checking_sink.hpp"
#include "testing/elf/image.hpp"
#include "testing/go/program.hpp"
#include "testing/model_text.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using elf::Layout;
using elf::Machine;
using elf::SectionType;
using testing::ElementsAre;
using testing::IsEmpty;
using testkit::assemble;
using testkit::ElfBytes;
using testkit::ElfImage;
using testkit::ElfSection;
using testkit::kElfLayouts;
using testkit::rich_elf;
using testkit::symbol_table;
using Data = std::vector<std::byte>;

constexpr std::uint64_t kCode = elf::kFlagAlloc | elf::kFlagExecInstr;

std::vector<std::string> text_of(Bytes file, std::span<const Companion> companions = {}) {
  ModelText sink;
  const auto ok = translate_elf({.file = file, .companions = companions}, sink);
  return ok ? sink.text() : std::vector<std::string>{to_string(ok.error())};
}

Data xz(Bytes plain) {
  Data out(lzma_stream_buffer_bound(plain.size()));
  std::size_t used = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
                          plain.size(), reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size());
  out.resize(used);
  return out;
}

Data zlib(Bytes plain) {
  libdeflate_compressor* with = libdeflate_alloc_compressor(6);
  Data out(libdeflate_zlib_compress_bound(with, plain.size()));
  out.resize(libdeflate_zlib_compress(with, plain.data(), plain.size(), out.data(), out.size()));
  libdeflate_free_compressor(with);
  return out;
}

TEST(FromElf, SymbolsCountFromTheImageBase) {
  for (const Layout layout : kElfLayouts) {
    ElfImage image = rich_elf(layout);
    image.segments[0].address = 0x800;
    const auto bytes = assemble(image);
    EXPECT_THAT(text_of(bytes), ElementsAre("800+8 static_one public", "808+8 label public", "810+8 exported public",
                                            "810+8 versioned public", "818+4 weak public"));
    ModelText sink;
    ASSERT_TRUE(translate_elf({.file = bytes}, sink));
    EXPECT_EQ(sink.module().arch, model::Arch::x86_64);
    EXPECT_EQ(sink.module().producer_kind, "elf");
    EXPECT_EQ(sink.module().debug_id.dashed(),
              layout.big_endian ? "01020304-0506-0708-090a-0b0c0d0e0f10" : "04030201-0605-0807-090a-0b0c0d0e0f10");
  }
}

TEST(FromElf, SectionsOfRelocatableFilesHavePlaces) {
  ElfImage image{.type = elf::FileType::relocatable};
  image.sections = {{.name = ".text", .flags = kCode, .data = Data(5), .alignment = 16},
                    {.name = ".data", .flags = elf::kFlagAlloc, .data = Data(40)},
                    {.name = ".init.text", .flags = kCode, .data = Data(9), .alignment = 16},
                    {.name = ".text.empty", .flags = kCode},
                    {.name = ".exit.text", .type = SectionType::nobits, .flags = kCode, .nobits_size = 3}};
  const auto file = assemble(image);
  ModelText sink;
  ASSERT_TRUE(translate_elf({.file = file}, sink));
  const auto want = testing::ElementsAre(model::CodeSection{".text", {0}, 5}, model::CodeSection{".init.text", {16}, 9},
                                         model::CodeSection{".exit.text", {25}, 3});
  EXPECT_THAT(sink.module().sections, want);
  FileInfo info;
  describe_elf(info, file);
  EXPECT_THAT(info.sections, want);
  image.type = elf::FileType::shared;
  const auto linked = assemble(image);
  ModelText other;
  ASSERT_TRUE(translate_elf({.file = linked}, other));
  EXPECT_THAT(other.module().sections, IsEmpty());
}

TEST(FromElf, SymbolsWithoutSizesEndWhereUnwindTablesDo) {
  const Layout layout{};
  const auto table = symbol_table(layout, {{"first", 0x1000, 0}, {"second", 0x1020, 0}});
  testkit::Section frames;
  frames.u32(13).u32(0).u8(1).c_string("").u8(1).u8(0x78).u8(16).zeros(4);
  frames.u32(20).u32(21).u64(0x1000).u64(8);     // first
  frames.u32(20).u32(45).u64(0x1010).u64(0x10);  // has no name
  frames.u32(20).u32(69).u64(0x1028).u64(8);     // neither: second is not in the table, and ends here
  ElfImage image{.layout = layout};
  image.sections = {{.name = ".text", .flags = kCode, .address = 0x1000, .data = Data(0x40)},
                    {.name = ".symtab", .type = SectionType::symtab, .data = table.records, .link = 3},
                    {.name = ".strtab", .type = SectionType::strtab, .data = table.strings},
                    {.name = ".eh_frame", .flags = elf::kFlagAlloc, .address = 0x3000, .data = frames.finish()}};
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("1000+8 first public", "1020+8 second public"));
  image.sections.pop_back();
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("1000+20 first public", "1020+20 second public"));
}

TEST(FromElf, FunctionDescriptorsOfPower) {
  const Layout layout{true, true};
  const auto words = [&](std::vector<std::uint64_t> values) {
    ElfBytes out(layout);
    for (const std::uint64_t value : values) out.word(value);
    return std::move(out).finish();
  };
  const auto table =
      symbol_table(layout, {{"in_file", 0x3000, 8, 2}, {"filled", 0x3018, 8, 2}, {"nowhere", 0x3030, 8, 2}});
  ElfImage image{.layout = layout, .machine = Machine::ppc64};
  image.sections = {
      {.name = ".text", .flags = kCode, .address = 0x1000, .data = Data(64)},
      {.name = ".opd", .flags = elf::kFlagAlloc, .address = 0x3000, .data = words({0x1010, 0, 0, 0, 0, 0, 0, 0, 0})},
      {.name = ".symtab", .type = SectionType::symtab, .data = table.records, .link = 4},
      {.name = ".strtab", .type = SectionType::strtab, .data = table.strings},
      {.name = ".rela.dyn",
       .type = SectionType::rela,
       .flags = elf::kFlagAlloc,
       .data = testkit::elf_relocation(layout, 0x3018, 0, 22, 0x1020)}};
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("1010+8 in_file public", "1020+8 filled public"));
  const auto in_object =
      symbol_table(layout, {{"", 0, 0, 1, elf::SymbolType::section}, {"f", 0, 8, 2}, {"g", 24, 8, 2}});
  image.type = elf::FileType::relocatable;
  image.sections[1].data = Data(48);
  image.sections[2].data = in_object.records;
  image.sections[3].data = in_object.strings;
  auto relocations = testkit::elf_relocation(layout, 0, 1, 38, 4);
  const auto second = testkit::elf_relocation(layout, 24, 1, 38, 0x20);
  relocations.insert(relocations.end(), second.begin(), second.end());
  image.sections[4] = {.name = ".rela.opd", .type = SectionType::rela, .data = relocations, .link = 3, .info = 2};
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("4+8 f public", "20+8 g public"));
}

TEST(FromElf, ThumbBitIsNoPartOfTheAddress) {
  const auto table =
      symbol_table({false, false}, {{"thumb", 0x1001, 4}, {"$t", 0x1000, 0, 1, elf::SymbolType::notype}});
  ElfImage image{.layout = {false, false}, .machine = Machine::arm};
  image.sections = {{.name = ".text", .flags = kCode, .address = 0x1000, .data = Data(16)},
                    {.name = ".symtab", .type = SectionType::symtab, .data = table.records, .link = 3},
                    {.name = ".strtab", .type = SectionType::strtab, .data = table.strings}};
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("1000+4 thumb public"));
}

TEST(FromElf, ReadsTheInnerFileOfStrippedPrograms) {
  const Layout layout{};
  const auto table = symbol_table(layout, {{"hidden", 0x1004, 4}});
  ElfImage inner{.layout = layout};
  inner.sections = {
      {.name = ".text", .type = SectionType::nobits, .flags = kCode, .address = 0x1000, .nobits_size = 32},
      {.name = ".symtab", .type = SectionType::symtab, .data = table.records, .link = 3},
      {.name = ".strtab", .type = SectionType::strtab, .data = table.strings}};
  ElfImage image{.layout = layout};
  image.sections = {{.name = ".text", .flags = kCode, .address = 0x1000, .data = Data(32)},
                    {.name = ".gnu_debugdata", .data = xz(assemble(inner))}};
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("1004+4 hidden public"));
  image.sections[1].data.resize(40);
  EXPECT_THAT(text_of(assemble(image)), ElementsAre(testing::HasSubstr("(elf.gnu_debugdata ")));
}

/// Go's table names Go's code; C functions that a C linker added are known to the symbol table alone.
TEST(FromElf, GoFunctionsAndSymbolsOfC) {
  const auto made = assemble(testkit::small_go_table(testkit::kGoReleases[6], {}, testkit::kGoText));
  const auto functions_at = go::Table::open(made.table, {})->functions_at();
  const auto symbols =
      symbol_table({}, {{"main.main", testkit::kGoText, 0x30}, {"c_only", testkit::kGoText + 0x100, 0x20}});
  ElfImage image;
  image.sections = {{.name = ".text", .flags = kCode, .address = testkit::kGoText, .data = Data(0x140)},
                    {.name = ".gopclntab", .flags = elf::kFlagAlloc, .address = testkit::kGoTable, .data = made.table},
                    {.name = ".rodata", .flags = elf::kFlagAlloc, .address = testkit::kGoTrees, .data = made.trees},
                    {.name = ".noptrdata",
                     .flags = elf::kFlagAlloc | 1,
                     .address = testkit::kGoData,
                     .data = testkit::module_data({.functions_at = functions_at}, {})},
                    {.name = ".symtab", .type = SectionType::symtab, .data = symbols.records, .link = 6},
                    {.name = ".strtab", .type = SectionType::strtab, .data = symbols.strings}};
  image.segments = {{.flags = 4, .address = testkit::kGoBase, .memory_size = 0x1000}};
  EXPECT_THAT(text_of(assemble(image)),
              ElementsAre(testing::StartsWith("1000+30 main.main | 0 a/main.go:5 | 10 a/main.go:31 main.outer <"),
                          "1000+30 main.main public", "1040+20 main.sum[go.shape.int] | 0 a/other.go:50",
                          "1040+20 main.sum[...] public", "1080+80 c_code", "1100+20 c_only public"));
}

/// A program and its debug file, which has a function symbol more.
struct Pair {
  Data program, debug;
};
Pair pair_of(bool with_build_ids, std::uint8_t last_of_debug = 0x14) {
  const Layout layout{};
  const auto table = symbol_table(layout, {{"from_debug_file", 0x1004, 4}});
  const auto note = [&](std::uint8_t last) {
    std::string id(testkit::kElfBuildId);
    id.back() = static_cast<char>(last);
    return ElfSection{.name = ".note.gnu.build-id",
                      .type = SectionType::note,
                      .data = testkit::elf_note(layout, "GNU", elf::kNoteBuildId, as_bytes(id)),
                      .alignment = 4};
  };
  ElfImage debug{.layout = layout};
  debug.sections = {
      {.name = ".text", .type = SectionType::nobits, .flags = kCode, .address = 0x1000, .nobits_size = 32},
      {.name = ".symtab", .type = SectionType::symtab, .data = table.records, .link = 3},
      {.name = ".strtab", .type = SectionType::strtab, .data = table.strings}};
  if (with_build_ids) debug.sections.push_back(note(last_of_debug));
  Pair pair{.program = {}, .debug = assemble(debug)};
  ElfImage program{.layout = layout};
  program.sections = {{.name = ".text", .flags = kCode, .address = 0x1000, .data = Data(32)},
                      {.name = ".gnu_debuglink",
                       .data = ElfBytes(layout).c_string("p.debug").align(4).u32(crc32(pair.debug)).finish()}};
  if (with_build_ids) program.sections.push_back(note(0x14));
  pair.program = assemble(program);
  return pair;
}

TEST(FromElf, TakesTheDebugFileThatBelongs) {
  struct Row {
    std::string_view why;
    Pair files;
    bool spoilt, want;
  };
  const Row rows[] = {
      {"build ids agree", pair_of(true), false, true},
      {"build ids differ", pair_of(true, 0x15), false, false},
      {"checksum agrees", pair_of(false), false, true},
      {"checksum differs", pair_of(false), true, false},
  };
  for (Row r : rows) {
    const auto needed = needed_files_elf(r.files.program, {});
    ASSERT_EQ(needed.size(), 1u) << r.why;
    EXPECT_EQ(needed[0].kind, NeedFile::Kind::debug_link);
    EXPECT_EQ(needed[0].path, "p.debug");
    if (r.spoilt) r.files.debug.push_back(std::byte{1});
    const Companion companions[] = {{needed[0], r.files.debug}};
    if (r.want) EXPECT_THAT(text_of(r.files.program, companions), ElementsAre("1004+4 from_debug_file public"));
    else EXPECT_THAT(text_of(r.files.program, companions), IsEmpty()) << r.why;
    EXPECT_EQ(needed_files_elf(r.files.program, companions).size(), r.want ? 0u : 1u) << r.why;
  }
}

TEST(NeededFilesElf, NamesTheFileWithCommonParts) {
  ElfImage image = rich_elf({});
  image.sections.push_back({.name = ".debug_info", .data = Data(4)});
  const auto bytes = assemble(image);
  const auto needed = needed_files_elf(bytes, {});
  ASSERT_EQ(needed.size(), 1u) << "no debug link: the file has units";
  EXPECT_EQ(needed[0].kind, NeedFile::Kind::supplementary);
  EXPECT_EQ(needed[0].path, "../common.dwz");
  EXPECT_EQ(needed[0].build_id, "303132333435363738396162636465666768696a");
  EXPECT_THAT(needed_files_elf(Bytes(bytes).first(100), {}), IsEmpty());
}

TEST(ElfDwarf, InflatesWhatIsPacked) {
  const std::string plain(3000, 'p');
  for (const Layout layout : kElfLayouts) {
    ElfBytes packed(layout);
    packed.u32(1);
    if (layout.is_64bit) packed.u32(0);
    packed.word(plain.size()).word(1).bytes(zlib(as_bytes(plain)));
    ElfImage image{.layout = layout};
    image.sections = {
        {.name = ".debug_info", .flags = elf::kFlagCompressed, .data = packed.finish()},
        {.name = ".zdebug_line",
         .data = testkit::Section().text("ZLIB").u64_big(plain.size()).bytes(zlib(as_bytes(plain))).finish()},
        {.name = ".debug_str", .data = testkit::Section().text("strings").finish()},
        {.name = ".debug_str", .data = testkit::Section().text("again").finish()},
        {.name = ".debug_abbrev.dwo", .data = testkit::Section().text("split").finish()},
    };
    const auto bytes = assemble(image);
    const auto file = elf::File::open(bytes);
    std::atomic<int> released = 0;
    const auto dwarf = ElfDwarf::open(*file, {.threads = 2, .release = [&] { ++released; }});
    ASSERT_TRUE(dwarf) << to_string(dwarf.error());
    EXPECT_EQ(as_text(dwarf->sections().info), plain);
    EXPECT_EQ(as_text(dwarf->sections().line), plain);
    EXPECT_EQ(as_text(dwarf->sections().str), "strings");
    EXPECT_EQ(dwarf->sections().big_endian, layout.big_endian);
    EXPECT_TRUE(dwarf->sections().abbrev.empty());
    EXPECT_EQ(released, 2) << "once for each that was packed";
    const auto split = ElfDwarf::open(*file, {.split = true});
    EXPECT_EQ(as_text(split->sections().abbrev), "split");
    EXPECT_TRUE(split->sections().split);
  }
}

TEST(ElfDwarf, SectionsOnTopOfEachOtherAreRefused) {
  ElfImage image{.type = elf::FileType::relocatable};
  for (int i = 0; i < 8; ++i) image.sections.push_back({.name = ".debug_info", .data = Data(500)});
  auto bytes = assemble(image);
  auto file = elf::File::open(bytes);
  EXPECT_TRUE(ElfDwarf::open(*file, {}));
  const std::uint64_t headers = file->header().sections_offset;
  for (std::size_t i = 1; i <= 8; ++i) {  // sh_offset 64, sh_size all the rest
    testkit::patch(bytes, headers + i * 64 + 24, u64le(64));
    testkit::patch(bytes, headers + i * 64 + 32, u64le(bytes.size() - 64));
  }
  file = elf::File::open(bytes);
  ASSERT_TRUE(file);
  EXPECT_FALSE(ElfDwarf::open(*file, {}));
}

TEST(ElfDwarf, ObjectFilesAreRelocatedAndJoined) {
  struct Row {
    Machine machine;
    Layout layout;
    std::uint64_t address, offset;  ///< relocation types
    bool with_addends;
  };
  const Row rows[] = {
      {Machine::x86_64, {true, false}, 1, 10, true}, {Machine::aarch64, {true, false}, 257, 258, true},
      {Machine::i386, {false, false}, 1, 1, false},  {Machine::arm, {false, true}, 2, 2, false},
      {Machine::s390, {true, true}, 22, 4, true},    {Machine::ppc64, {true, true}, 38, 1, true},
      {Machine::riscv, {true, false}, 2, 1, true},
  };
  for (const Row& r : rows) {
    // Symbols: 1 the second code section, 2 the second .debug_str; each place holds symbol + 5.
    const auto symbols =
        symbol_table(r.layout, {{"", 3, 0, 2, elf::SymbolType::section}, {"", 0, 0, 4, elf::SymbolType::section}});
    const std::uint64_t in_place = r.with_addends ? 0xEEEEEEEE : 5;
    Data relocations = testkit::elf_relocation(r.layout, 0, 1, r.address, 5);
    const std::size_t word = r.layout.word_size();
    const auto second = testkit::elf_relocation(r.layout, word, 2, r.offset, 5);
    relocations.resize(r.with_addends ? word * 3 : word * 2);
    relocations.insert(relocations.end(), second.begin(), second.begin() + (r.with_addends ? word * 3 : word * 2));
    ElfImage image{.layout = r.layout, .type = elf::FileType::relocatable, .machine = r.machine};
    image.sections = {
        {.name = ".text", .flags = kCode, .data = Data(20), .alignment = 16},
        {.name = ".text.b", .flags = kCode, .data = Data(20), .alignment = 16},
        {.name = ".debug_str", .data = Data(100)},
        {.name = ".debug_str", .data = Data(50)},
        {.name = ".debug_info", .data = ElfBytes(r.layout).word(in_place).u32(in_place).finish()},
        {.name = ".rel.debug_info",
         .type = r.with_addends ? SectionType::rela : SectionType::rel,
         .data = relocations,
         .link = 7,
         .info = 5},
        {.name = ".symtab", .type = SectionType::symtab, .data = symbols.records},
    };
    const auto bytes = assemble(image);
    const auto file = elf::File::open(bytes);
    ASSERT_TRUE(file);
    const auto dwarf = ElfDwarf::open(*file, {});
    ASSERT_TRUE(dwarf) << to_string(dwarf.error());
    EXPECT_EQ(dwarf->sections().str.size(), 150u);
    elf::Fields fields(dwarf->sections().info.data(), r.layout);
    EXPECT_EQ(fields.word(), 32u + 3 + 5) << static_cast<int>(r.machine);
    EXPECT_EQ(fields.u32(), 100u + 5) << static_cast<int>(r.machine);
  }
}

TEST(ElfDwarf, RelocationsStayInside) {
  const Layout layout{};
  struct Row {
    std::string_view field;
    std::uint64_t offset, symbol;
  };
  const Row rows[] = {{"elf.relocation.offset", 1, 1},
                      {"elf.relocation.offset", ~std::uint64_t{0}, 1},
                      {"elf.relocation.symbol", 0, 2}};
  for (const Row& r : rows) {
    const auto symbols = symbol_table(layout, {{"", 0, 0, 1, elf::SymbolType::section}});
    ElfImage image{.layout = layout, .type = elf::FileType::relocatable};
    image.sections = {{.name = ".debug_info", .data = Data(8)},
                      {.name = ".rela.debug_info",
                       .type = SectionType::rela,
                       .data = testkit::elf_relocation(layout, r.offset, r.symbol, 1, 0),
                       .link = 3,
                       .info = 1},
                      {.name = ".symtab", .type = SectionType::symtab, .data = symbols.records}};
    const auto bytes = assemble(image);
    const auto dwarf = ElfDwarf::open(*elf::File::open(bytes), {});
    ASSERT_FALSE(dwarf) << r.offset;
    EXPECT_EQ(dwarf.error().field, r.field);
  }
}

struct Plt {
  Machine machine;
  Layout layout;
  std::uint64_t slot_type;
  std::uint64_t entry_size;
  std::string_view section;
  Data code;
};

/// `code` stands at 0x1000, the slot of "puts" at 0x3010, .got.plt at 0x3000.
Data with_plt(const Plt& plt) {
  const auto dynamic = symbol_table(plt.layout, {{"puts@GLIBC_2.2.5", 0, 0, 0}});
  ElfImage image{.layout = plt.layout, .machine = plt.machine};
  image.sections = {{.name = std::string(plt.section), .flags = kCode, .address = 0x1000, .data = plt.code},
                    {.name = ".got.plt", .flags = elf::kFlagAlloc, .address = 0x3000, .data = Data(0x20)},
                    {.name = ".rela.plt",
                     .type = SectionType::rela,
                     .flags = elf::kFlagAlloc,
                     .data = testkit::elf_relocation(plt.layout, 0x3010, 1, plt.slot_type, 0),
                     .link = 4},
                    {.name = ".dynsym", .type = SectionType::dynsym, .data = dynamic.records, .link = 5},
                    {.name = ".dynstr", .type = SectionType::strtab, .data = dynamic.strings}};
  return assemble(image);
}

TEST(FromElf, NamesStubs) {
  using testkit::Section;
  const Layout little{}, small{false, false};
  const auto first = [] { return Section().zeros(16); };  // pushes and jumps to the loader
  const Plt rows[] = {
      {Machine::x86_64, little, 7, 16, ".plt", first().u16(0x25FF).u32(0x3010 - 0x1016).zeros(10).finish()},
      {Machine::x86_64, little, 7, 16, ".plt.sec",
       first().u32(0xFA1E0FF3).u8(0xF2).u16(0x25FF).u32(0x3010 - 0x101B).zeros(5).finish()},
      {Machine::x86_64, little, 6, 8, ".plt.got",
       first().u16(0x25FF).u32(0x3010 - 0x1016).u16(0x9066).zeros(8).finish()},
      {Machine::i386, small, 7, 16, ".plt", first().u16(0x25FF).u32(0x3010).zeros(10).finish()},
      {Machine::i386, small, 7, 16, ".plt", first().u16(0xA3FF).u32(0x10).zeros(10).finish()},
      {Machine::aarch64, little, 1026, 16, ".plt",
       first().u32(0xD0000010).u32(0xF9400A11).u32(0x91004210).u32(0xD61F0220).finish()},
  };
  for (const Plt& plt : rows)
    EXPECT_THAT(text_of(with_plt(plt)), ElementsAre(testing::AnyOf("1010+10 puts@plt thunk", "1010+8 puts@plt thunk")))
        << static_cast<int>(plt.machine) << plt.section;
  Plt strange = rows[0];
  strange.code = first().u16(0x25FF).u32(0x3018 - 0x1016).zeros(10).finish();
  EXPECT_THAT(text_of(with_plt(strange)), IsEmpty()) << "nothing fills that slot";
  Plt marked = rows[5];
  marked.code = first().u32(0xD503245F).u32(0xD0000010).u32(0xF9400A11).u32(0x91004210).u32(0xD61F0220).u32(0).finish();
  EXPECT_THAT(text_of(with_plt(marked)), ElementsAre("1010+18 puts@plt thunk"));
  Plt cut = rows[0];
  cut.code.resize(0x15);
  EXPECT_THAT(text_of(with_plt(cut)), IsEmpty());
}

TEST(FromElf, NamesMayNotBeManyTimesTheFile) {
  const std::size_t count = 3000;
  std::vector<testkit::ElfSymbol> symbols(count, {"", 0x1000, 1});
  auto table = symbol_table({}, symbols);
  table.strings.assign(200'001, std::byte{'n'});
  table.strings.back() = {};
  for (std::size_t i = 1; i <= count; ++i) testkit::patch(table.records, i * 24, u32le(1));
  ElfImage image;
  image.sections = {{.name = ".text", .flags = kCode, .address = 0x1000, .data = Data(32)},
                    {.name = ".symtab", .type = SectionType::symtab, .data = table.records, .link = 3},
                    {.name = ".strtab", .type = SectionType::strtab, .data = table.strings}};
  EXPECT_THAT(text_of(assemble(image)), ElementsAre(testing::HasSubstr("(elf.symtab.names ")));
}

/// A library with all that a translation reads besides DWARF.
Data everything(Layout layout, elf::FileType type) {
  ElfImage image = rich_elf(layout);
  image.type = type;
  const auto inner = assemble(rich_elf(layout));
  image.sections.push_back({.name = ".gnu_debugdata", .data = xz(inner)});
  const std::string plain = "units that are none";
  ElfBytes packed(layout);
  packed.u32(1);
  if (layout.is_64bit) packed.u32(0);
  packed.word(plain.size()).word(1).bytes(zlib(as_bytes(plain)));
  image.sections.push_back({.name = ".debug_str", .flags = elf::kFlagCompressed, .data = packed.finish()});
  image.sections.push_back({.name = ".rela.debug_str",
                            .type = SectionType::rela,
                            .data = testkit::elf_relocation(layout, 0, 1, 10, 4),
                            .link = 5,
                            .info = 12});
  return assemble(image);
}

TEST(FromElfFuzzCorpus, IsWhatTheAssemblerMakes) {
  using Type = elf::FileType;
  const testkit::StoredInput inputs[] = {
      {"library.bin", everything({true, false}, Type::shared)},
      {"object.bin", everything({true, false}, Type::relocatable)},
      {"big.bin", everything({true, true}, Type::shared)},
      {"small.bin", everything({false, false}, Type::relocatable)},
      {"program.bin", pair_of(true).program},
      {"stubs.bin", with_plt({Machine::x86_64,
                              {},
                              7,
                              16,
                              ".plt",
                              testkit::Section().zeros(16).u16(0x25FF).u32(0x3010 - 0x1016).zeros(10).finish()})},
  };
  testkit::expect_stored("object/elf/fuzz_corpus/translate_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
