#include "object/identify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "object/common/machine_arch.hpp"
#include "symcache/writer.hpp"
#include "testing/pdb/msf_file.hpp"
#include "testing/pe/image.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testkit::assemble;
using testkit::nb10;
using testkit::PeImage;
using testkit::rsds;
using testkit::Section;

TEST(Identify, ByMagicAlone) {
  struct Row {
    std::string_view why;
    std::string_view bytes;
    FileKind want;
  };
  const Row rows[] = {
      {"PDB", "Microsoft C/C++ MSF 7.00\r\n\x1A\x44\x53\0\0\0"sv, FileKind::pdb},
      {"PDB, magic cut", "Microsoft C/C++ MSF 7.00\r\n\x1A\x44\x53\0"sv, FileKind::unknown},
      {"PDB 2.00", "Microsoft C/C++ program database 2.00\r\n\x1AJG\0\0"sv, FileKind::old_pdb},
      {"MSFZ", "Microsoft MSFZ Container\r\n\x1A\x41LD\0\0"sv, FileKind::msfz},
      {"Portable PDB", "BSJB\1\0\1\0"sv, FileKind::portable_pdb},
      {"ELF", "\x7F\x45LF\2\1"sv, FileKind::elf},
      {"Mach-O, 64 bits", "\xCF\xFA\xED\xFE\7\0"sv, FileKind::macho},
      {"Mach-O, 32 bits", "\xCE\xFA\xED\xFE\7\0"sv, FileKind::macho},
      {"Mach-O, big-endian", "\xFE\xED\xFA\xCE\0\0"sv, FileKind::macho},
      {"fat Mach-O", "\xCA\xFE\xBA\xBE\0\0\0\2"sv, FileKind::macho_fat},
      {"fat Mach-O, 64-bit offsets", "\xCA\xFE\xBA\xBF\0\0\0\2"sv, FileKind::macho_fat},
      {"a Java class", "\xCA\xFE\xBA\xBE\0\0\0\x34"sv, FileKind::unknown},
      {"fat Mach-O of nothing", "\xCA\xFE\xBA\xBE\0\0\0\0"sv, FileKind::unknown},
      {"fat Mach-O, cut", "\xCA\xFE\xBA\xBE\0\0\0"sv, FileKind::unknown},
      {"BCSymbolMap", "BCSymbolMap Version: 2.0\n"sv, FileKind::bcsymbolmap},
      {"WebAssembly", "\0asm\1\0\0\0"sv, FileKind::wasm},
      {"Breakpad", "MODULE Linux x86_64 000 a\n"sv, FileKind::breakpad},
      {"symcache", "symcache\1\0\0\0"sv, FileKind::symcache},
      {"cabinet", "MSCF\0\0\0\0"sv, FileKind::cab},
      {"zip", "PK\3\4"sv, FileKind::zip},
      {"zip without members", "PK\5\6"sv, FileKind::zip},
      {"gzip", "\x1F\x8B\x08"sv, FileKind::gzip},
      {"zstd", "\x28\xB5\x2F\xFD"sv, FileKind::zstd},
      {"xz", "\xFD\x37zXZ\0"sv, FileKind::xz},
      {"SZDD", "SZDD\x88\xF0\x27\x33\x41"sv, FileKind::szdd},
      {"SZDD of QBasic", "SZ \x88\xF0\x27\x33\xD1"sv, FileKind::unknown},
      {"KWAJ", "KWAJ\x88\xF0\x27\xD1\0\0"sv, FileKind::kwaj},
      {"source bundle", "SYSB\2\0\0\0PK\3\4"sv, FileKind::source_bundle},
      {"perf map", "7f0000001000 10 f\n"sv, FileKind::perf_map},
      {"a DOS program",
       "MZ\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv,
       FileKind::unknown},
      {"MZ and no more", "MZ"sv, FileKind::unknown},
      {"text", "#include <stdio.h>\n"sv, FileKind::unknown},
      {"the machine of an object file and no more", "\x64\x86\1\0"sv, FileKind::unknown},
      {"nothing", ""sv, FileKind::unknown},
  };
  for (const Row& r : rows) EXPECT_EQ(name_of(identify(as_bytes(r.bytes))), name_of(r.want)) << r.why;
}

TEST(Identify, PeImagesWholeAndCut) {
  const Section out = assemble(PeImage{});
  const auto whole = out.finish();
  for (std::size_t n = 0; n <= whole.size(); ++n)
    EXPECT_EQ(identify(Bytes(whole).first(n)), n < 64 ? FileKind::unknown : FileKind::pe) << n << " bytes";
}

TEST(Identify, EveryKindHasItsName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(FileKind::perf_map); ++i) names.insert(name_of(static_cast<FileKind>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(FileKind::perf_map) + 1);
  EXPECT_EQ(name_of(FileKind::portable_pdb), "portable_pdb");
  EXPECT_EQ(name_of(static_cast<FileKind>(200)), "unknown");
}

TEST(Identify, ArchitecturesOfMachines) {
  struct Row {
    std::uint16_t machine;
    model::Arch want;
  };
  const Row rows[] = {
      {0x14C, model::Arch::x86},     {0x8664, model::Arch::x86_64}, {0xAA64, model::Arch::arm64},
      {0xA641, model::Arch::arm64},  {0xA64E, model::Arch::arm64},  {0x1C0, model::Arch::arm},
      {0x1C2, model::Arch::arm},     {0x1C4, model::Arch::arm},     {0x5064, model::Arch::riscv64},
      {0x200, model::Arch::unknown}, {0, model::Arch::unknown},     {0x8664 ^ 0x7B79, model::Arch::x86_64},
  };
  for (const Row& r : rows) EXPECT_EQ(arch_of_machine(r.machine), r.want) << r.machine;
}

std::string link_text(const Link& link) {
  return std::string(name_of(link.kind)) + " " + link.debug_id + " " + link.path;
}

std::vector<std::string> links_of(const FileInfo& info) {
  std::vector<std::string> out;
  for (const Link& link : info.links) out.push_back(link_text(link));
  return out;
}

TEST(Describe, AProgramWithOnePdb) {
  PeImage spec;
  spec.debug = {{.data = rsds("C:\\out\\app.pdb", 26)}, {.type = pe::DebugType::repro}};
  const FileInfo info = describe(assemble(spec).finish());
  EXPECT_EQ(info.kind, FileKind::pe);
  EXPECT_EQ(info.arch, model::Arch::x86_64);
  ASSERT_TRUE(info.debug_id);
  EXPECT_EQ(info.debug_id->dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10-1a");
  EXPECT_EQ(info.code_id, "5AB380779000");
  EXPECT_EQ(info.debug_file, "C:\\out\\app.pdb");
  EXPECT_THAT(info.features, ElementsAre("symbols", "dwarf", "debug-directory", "deterministic"));
  EXPECT_THAT(links_of(info), ElementsAre("pdb 01020304-0506-0708-090a-0b0c0d0e0f10-1a C:\\out\\app.pdb"));
  EXPECT_FALSE(info.error);
}

TEST(Describe, WhichOfSeveralPdbsIsTheOwn) {
  const testkit::PeDebugEntry native{.data = rsds("a.ni.pdb", 1, 1)};
  const testkit::PeDebugEntry second{.data = rsds("b.pdb", 1, 2)};
  const testkit::PeDebugEntry portable{
      .data = rsds("c.pdb", 1, 3), .minor_version = pe::kPortableMinor, .timestamp = 0xDEADBEEF};
  const testkit::PeDebugEntry old{.data = nb10("d.pdb", 0xABC, 0x1F)};
  struct Row {
    std::string_view why;
    std::vector<testkit::PeDebugEntry> debug;
    std::string_view debug_id, debug_file;
    std::size_t links;
  };
  const Row rows[] = {
      {"the first of two", {native, second}, "01020304-0506-0708-090a-0b0c0d0e0f01-1", "a.ni.pdb", 2},
      {"the portable one after", {native, portable}, "01020304-0506-0708-090a-0b0c0d0e0f03-deadbeef", "c.pdb", 2},
      {"the portable one before", {portable, native}, "01020304-0506-0708-090a-0b0c0d0e0f03-deadbeef", "c.pdb", 2},
      {"the GUID one", {old, second}, "01020304-0506-0708-090a-0b0c0d0e0f02-1", "b.pdb", 2},
      {"an old one has a name only", {old}, "", "d.pdb", 1},
      {"none", {{.type = pe::DebugType::pogo}}, "", "", 0},
  };
  for (const Row& r : rows) {
    PeImage spec;
    spec.managed = true;
    spec.debug = r.debug;
    const FileInfo info = describe(assemble(spec).finish());
    EXPECT_EQ(info.debug_id ? info.debug_id->dashed() : "", r.debug_id) << r.why;
    EXPECT_EQ(info.debug_file, r.debug_file) << r.why;
    EXPECT_EQ(info.links.size(), r.links) << r.why;
    EXPECT_FALSE(info.error) << r.why;
  }
}

TEST(Describe, LinksHaveTheKindTheyLeadTo) {
  PeImage spec;
  spec.debug = {{.data = rsds("a.pdb", 1)},
                {.data = rsds("b.pdb", 1), .minor_version = pe::kPortableMinor, .timestamp = 0x2A},
                {.data = nb10("c.pdb", 0xABC, 0x1F)}};
  EXPECT_THAT(links_of(describe(assemble(spec).finish())),
              ElementsAre("pdb 01020304-0506-0708-090a-0b0c0d0e0f10-1 a.pdb",
                          "portable_pdb 01020304-0506-0708-090a-0b0c0d0e0f10-2a b.pdb", "old_pdb 00000ABC-1f c.pdb"));
}

TEST(Describe, DebugInformationOfPeImages) {
  PeImage spec;
  spec.exports = {{.name = "f", .slot = 0, .rva = 0x1000}};
  spec.exceptions = std::vector<std::byte>(12);
  spec.extra = {{".gnu_debuglink", Section().c_string("a.debug").u32(1).finish()}};
  const FileInfo info = describe(assemble(spec).finish());
  EXPECT_THAT(info.features, ElementsAre("exports", "unwind", "symbols", "dwarf"));
  EXPECT_THAT(links_of(info), ElementsAre("pe  a.debug"));
  EXPECT_FALSE(info.error);
}

TEST(Describe, WhatIsReadableIsToldDespiteAnError) {
  PeImage spec;
  spec.debug = {{.data = Section().text("RSDS").zeros(3).finish()}, {.data = rsds("app.pdb", 1)}};
  const FileInfo info = describe(assemble(spec).finish());
  ASSERT_TRUE(info.error);
  EXPECT_EQ(info.error->field, "pe.codeview.rsds");
  EXPECT_EQ(info.code_id, "5AB380779000");
  EXPECT_EQ(info.debug_file, "app.pdb") << "the record after the damaged one";
}

TEST(Describe, ACutImageStillTellsWhatItIs) {
  PeImage spec;
  spec.debug = {{.data = rsds("app.pdb", 1)}};
  const Section out = assemble(spec);
  const auto whole = out.finish();
  struct Row {
    std::size_t size;
    std::string_view field, code_id;
  };
  const Row rows[] = {
      {out.at("coff") + 19, "pe.coff_header", ""},
      {out.at("sections_end") - 1, "pe.section_headers", ""},
      {out.at("sections_end"), "pe.debug_directory", "5AB380779000"},
      {out.at("data0_end") - 1, "pe.debug_entry.data", "5AB380779000"},
  };
  for (const Row& r : rows) {
    const FileInfo info = describe(Bytes(whole).first(r.size));
    EXPECT_EQ(info.kind, FileKind::pe);
    ASSERT_TRUE(info.error) << r.field;
    EXPECT_EQ(info.error->field, r.field);
    EXPECT_EQ(info.code_id, r.code_id);
  }
}

/// A PDB of one module whose C13 part is `c13`.
std::vector<std::byte> pdb_of(std::uint16_t machine, std::uint16_t flags, const std::vector<std::byte>& c13) {
  const auto c13_size = static_cast<std::uint32_t>(c13.size());
  const auto info = Section().u32(20000404).u32(0).u32(1).u32(0x01020304).u16(0x0506).u16(0x0708);
  Section module;
  module.u32(0).zeros(28).u16(0).u16(4).u32(8).u32(0).u32(c13_size).zeros(16).c_string("a.obj").c_string("a.obj");
  module.align(4);
  Section dbi;
  dbi.u32(0xFFFFFFFF).u32(19990903).u32(0x1A).zeros(8).u16(0xFFFF).u16(0);
  dbi.u32(static_cast<std::uint32_t>(module.size())).zeros(28).u16(flags).u16(machine).u32(0);
  const std::vector<std::byte> streams[] = {
      {},
      Section(info).u64_big(0x090A0B0C0D0E0F10).finish(),
      {},
      dbi.bytes(module.finish()).finish(),
      Section().u32(4).u32(0).bytes(c13).finish(),
  };
  return testkit::msf_file(streams);
}

TEST(Describe, Pdbs) {
  const auto lines = Section().u32(0xF2).u32(12).zeros(12).finish();
  const auto inlinees = Section(Section().bytes(lines)).u32(0xF6).u32(16).u32(0).zeros(12).finish();
  struct Row {
    std::string_view why;
    std::vector<std::byte> file;
    model::Arch arch;
    std::vector<std::string_view> features;
  };
  const Row rows[] = {
      {"names alone", pdb_of(0x14C, 0, {}), model::Arch::x86, {"symbols"}},
      {"with lines", pdb_of(0x8664, 0, lines), model::Arch::x86_64, {"symbols", "lines"}},
      {"with inlined calls", pdb_of(0xAA64, 0, inlinees), model::Arch::arm64, {"symbols", "lines", "inlines"}},
      {"stripped", pdb_of(0x8664, 2, {}), model::Arch::x86_64, {"symbols", "stripped"}},
  };
  for (const Row& r : rows) {
    const FileInfo info = describe(r.file);
    EXPECT_EQ(info.kind, FileKind::pdb) << r.why;
    EXPECT_FALSE(info.error) << r.why << to_string(info.error.value_or(ReadError{}));
    EXPECT_EQ(info.arch, r.arch) << r.why;
    EXPECT_EQ(info.features, r.features) << r.why;
    ASSERT_TRUE(info.debug_id) << r.why;
    EXPECT_EQ(info.debug_id->dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10-1a") << r.why << ": the age of the DBI";
  }
}

TEST(Describe, EveryCutPdbIsDescribedOrHasAnError) {
  const auto whole = pdb_of(0x8664, 0, Section().u32(0xF2).u32(12).zeros(12).finish());
  const std::size_t last_used = 7 * 512 + 8 + 20;  // the module's stream lies in the last block
  for (std::size_t n = 32; n < whole.size(); ++n) {
    const testkit::Exact cut(Bytes(whole).first(n));
    EXPECT_EQ(describe(cut.bytes()).error.has_value(), n < last_used) << n << " bytes";
  }
}

TEST(Describe, Symcaches) {
  symcache::Writer writer;
  writer.module({.arch = model::Arch::arm64,
                 .debug_id = {*Guid::parse("01020304-0506-0708-090a-0b0c0d0e0f10"), 2},
                 .debug_file = "app.pdb",
                 .producer_kind = "pdb"});
  model::Function function;
  function.start = {0x1000};
  function.size = 16;
  function.name = writer.intern("main");
  writer.function(function);
  const auto bytes = std::move(writer).finish();
  const FileInfo info = describe(bytes);
  EXPECT_EQ(info.kind, FileKind::symcache);
  EXPECT_FALSE(info.error);
  EXPECT_EQ(info.arch, model::Arch::arm64);
  EXPECT_EQ(info.debug_id->dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10-2");
  EXPECT_EQ(info.debug_file, "app.pdb");
  EXPECT_THAT(info.features, ElementsAre("symbols"));
  EXPECT_TRUE(describe(Bytes(bytes).first(20)).error) << "a header cut short";
}

TEST(Describe, SymcachesWithLines) {
  symcache::Writer writer;
  const model::Line row{.offset = 0, .line = 7, .file = writer.intern("/src/a.cpp")};
  model::Function function;
  function.start = {0x1000};
  function.size = 16;
  function.name = writer.intern("main");
  function.lines = std::span(&row, 1);
  writer.function(function);
  EXPECT_THAT(describe(std::move(writer).finish()).features, ElementsAre("symbols", "lines"));
}

TEST(Describe, OtherKindsAreNamedAndNoMore) {
  for (const std::string_view bytes : {"BSJB"sv, "\x7F\x45LF"sv, "PK\3\4"sv, ""sv}) {
    const FileInfo info = describe(as_bytes(bytes));
    EXPECT_EQ(info.kind, identify(as_bytes(bytes)));
    EXPECT_FALSE(info.debug_id);
    EXPECT_THAT(info.features, IsEmpty());
    EXPECT_THAT(info.links, IsEmpty());
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(IdentifyFuzzCorpus, IsWhatTheAssemblerMakes) {
  PeImage several;
  several.managed = true;
  several.debug = {{.data = rsds("a.ni.pdb", 1)},
                   {.data = rsds("a.pdb", 1), .minor_version = pe::kPortableMinor, .timestamp = 0x2A},
                   {.data = nb10("c.pdb", 0xABC, 0x1F)},
                   {.type = pe::DebugType::embedded_portable_pdb, .data = Section().text("MPDB").finish()}};
  PeImage damaged;
  damaged.is_64bit = false;
  damaged.debug = {{.data = Section().text("RSDS").zeros(3).finish()}};
  const testkit::StoredInput inputs[] = {
      {"several_pdbs.bin", assemble(several).finish()},
      {"damaged_record.bin", assemble(damaged).finish()},
      {"fat.bin", Section().u32_big(0xCAFEBABE).u32_big(2).finish()},
      {"pdb.bin", pdb_of(0x8664, 0, Section().u32(0xF2).u32(12).zeros(12).finish())},
      {"portable_pdb.bin", Section().text("BSJB").finish()},
  };
  testkit::expect_stored("object/fuzz_corpus/identify_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
