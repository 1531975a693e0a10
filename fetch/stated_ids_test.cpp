#include "fetch/stated_ids.hpp"

#include <gmock/gmock.h>

#include "fetch/verify.hpp"
#include "testing/elf/image.hpp"
#include "testing/macho/image.hpp"
#include "testing/managed/dotnet_files.hpp"
#include "testing/pdb/rich_pdb.hpp"
#include "testing/pe/image.hpp"
#include "testing/server/fake_pdb.hpp"
#include "testing/text/breakpad_text.hpp"
#include "testing/wasm/image.hpp"

namespace symcached::fetch {
namespace {

using sources::FileRequest;
using sources::FileType;
using sources::ModuleIds;
using ::testing::HasSubstr;

constexpr std::string_view kBuildId = "0102030405060708090a0b0c0d0e0f1011121314";
constexpr std::string_view kUuid = "0102030405060708090a0b0c0d0e0f10";

std::vector<std::byte> program() { return testkit::assemble(testkit::rich_elf({true, false})); }

/// Only what a program needs to run, without its code.
std::vector<std::byte> dynamic_symbols() {
  testkit::ElfImage image = testkit::rich_elf({true, false});
  for (testkit::ElfSection& section : image.sections)
    if (section.name == ".text" || section.name == ".symtab") section.type = elf::SectionType::nobits;
  return testkit::assemble(image);
}

std::vector<std::byte> mach(macho::FileType type, std::uint8_t first = 1) {
  auto image = testkit::rich_macho(true, false);
  image.type = type;
  image.uuid = first;
  return testkit::assemble(image);
}

std::vector<std::byte> image() { return testkit::assemble(testkit::PeImage{}).finish(); }
std::vector<std::byte> text(std::string_view content) { return {as_bytes(content).begin(), as_bytes(content).end()}; }

std::string stated(Bytes file) {
  const auto ids = stated_ids(file);
  return ids ? to_text(*ids) : ids.error();
}

TEST(StatedIds, AreThoseOfTheFile) {
  const std::string uuid(kUuid), build_id(kBuildId);
  const std::string elf = " 0102030405060708090a0b0c0d0e0f1011121314 0403020106050807090A0B0C0D0E0F100\n";
  const std::string mach_ids = " 0102030405060708090a0b0c0d0e0f10 0102030405060708090A0B0C0D0E0F100\n";
  const auto fat =
      testkit::assemble_fat({{.file = mach(macho::FileType::execute)},
                             {.cpu = macho::Cpu::arm64, .cpu_subtype = 0, .file = mach(macho::FileType::execute, 2)}});
  struct Row {
    std::string_view why;
    std::vector<std::byte> file;
    std::string want;
  };
  const Row rows[] = {
      {"a program with symbols", program(), "elf_code" + elf + "elf_debug" + elf},
      {"dynamic symbols alone", dynamic_symbols(), "elf_debug" + elf},
      {"a Mach-O program", mach(macho::FileType::execute), "mach_code" + mach_ids},
      {"what is in a dSYM", mach(macho::FileType::dsym), "mach_debug" + mach_ids},
      {"for two processors", fat,
       "mach_code" + mach_ids + "mach_code 02030405060708090a0b0c0d0e0f1011 02030405060708090A0B0C0D0E0F10110\n"},
      {"an image", image(), "pe 5ab380779000 -\n"},
      {"a PDB", testkit::assemble(testkit::rich_pdb()), "pdb - "},
      {"a module", testkit::assemble(testkit::rich_wasm()),
       "wasm_code " + build_id + " -\nwasm_debug " + build_id + " -\n"},
      {"symbols as text", text(testkit::kRichSymbols), "breakpad - 3249D99D0C4049318610F4E4FB0B69361a\n"},
      {"nothing of the kind", text("<!DOCTYPE html>"), ""},
      {"nothing", {}, ""},
      {"cut short",
       text("\x7f"
            "ELF"),
       "cannot be read: truncated"},
  };
  for (const Row& r : rows) EXPECT_THAT(stated(r.file), ::testing::StartsWith(r.want)) << r.why;
  const auto ids = stated_ids(fat);
  EXPECT_EQ(parse_stated(to_text(*ids)), *ids);
}

TEST(StatedIds, OtherTextsAreRefused) {
  for (const std::string_view text :
       {"pe", "pe 5ab3 -", "pe 5ab3\n", "pe 5AB3 -\n", "exe 5ab3 -\n", "pe 5ab3 x\n", "pe 5ab3 - -\n", "pe  -\n", "\n"})
    EXPECT_FALSE(parse_stated(text)) << text;
  std::string many;
  for (std::size_t i = 0; i <= kMaxStated; ++i) many += "pe 5ab3 -\n";
  EXPECT_FALSE(parse_stated(many));
  EXPECT_TRUE(parse_stated(""));
}

TEST(Verify, HoldsEveryTypeToItsIds) {
  struct Row {
    std::string_view why;
    std::vector<std::byte> file;
    FileType type;
    ModuleIds module;
    std::string_view want;
  };
  using enum FileType;
  const std::string build_id(kBuildId), uuid(kUuid);
  const DebugId breakpad_id{*Guid::parse("3249D99D0C4049318610F4E4FB0B6936"), 26};
  const DebugId of_build_id{*Guid::parse("0403020106050807090A0B0C0D0E0F10"), 0};
  const Row rows[] = {
      {"by build id", program(), elf_debug, {.code_id = build_id}, ""},
      {"filled with zeros", program(), elf_debug, {.code_id = build_id + "0000"}, ""},
      {"by debug id", program(), elf_debug, {.debug_id = of_build_id}, ""},
      {"another",
       program(),
       elf_code,
       {.code_id = uuid},
       "id is 0102030405060708090a0b0c0d0e0f1011121314, expected 0102030405060708090a0b0c0d0e0f10"},
      {"one of several",
       testkit::assemble_fat({{.file = mach(macho::FileType::execute, 9)},
                              {.cpu = macho::Cpu::arm64, .file = mach(macho::FileType::execute)}}),
       mach_code,
       {.code_id = uuid},
       ""},
      {"none of several",
       testkit::assemble_fat({{.file = mach(macho::FileType::execute, 9)}}),
       mach_code,
       {.code_id = uuid},
       "id is 090a"},
      {"an image", image(), pe, {.code_file = "a.exe", .code_id = "5ab380779000"}, ""},
      {"another image",
       image(),
       pe,
       {.code_file = "a.exe", .code_id = "5ab380778000"},
       "id is 5AB380779000, expected 5AB380778000"},
      {"text", text(testkit::kRichSymbols), breakpad, {.debug_id = breakpad_id}, ""},
      {"text of another age",
       text(testkit::kRichSymbols),
       breakpad,
       {.debug_id = DebugId{breakpad_id.guid, 2}},
       "id is 3249D99D0C4049318610F4E4FB0B69361a, expected 3249D99D0C4049318610F4E4FB0B69362"},
      {"a module", testkit::assemble(testkit::rich_wasm()), wasm_code, {.code_id = build_id}, ""},
      {"cut short",
       text("\x7f"
            "ELF"),
       elf_code,
       {.code_id = build_id},
       "cannot be read"},
      {"left to who reads it", text(fake_pdb("")), pdb, {.debug_file = "a.pdb", .debug_id = breakpad_id}, ""},
  };
  for (const Row& r : rows) {
    const auto verdict = verify(wanted_of({r.type, r.module}), r.file);
    EXPECT_THAT(verdict ? *verdict : verdict.error(), HasSubstr(r.want)) << r.why;
    EXPECT_EQ(verdict.has_value(), r.want.empty()) << r.why << ": " << (verdict ? "" : verdict.error());
  }
}

TEST(Sniff, TellsWhatIsExpectedOfEachType) {
  using namespace std::string_view_literals;
  struct Row {
    FileType type;
    std::string_view start;
  };
  const Row rows[] = {
      {FileType::pe, "MZ"},
      {FileType::pdb, "Microsoft C/C++ MSF 7.00\r\n\x1a\x44\x53\0\0\0"sv},
      {FileType::portable_pdb, "BSJB"},
      {FileType::elf_code,
       "\x7f"
       "ELF"},
      {FileType::mach_debug, "\xcf\xfa\xed\xfe"},
      {FileType::mach_code, "\xca\xfe\xba\xbe\0\0\0\2"sv},
      {FileType::wasm_code, "\0asm"sv},
      {FileType::breakpad, "MODULE Linux"},
      {FileType::source_bundle, "PK\3\4"},
      {FileType::source_bundle, "SYSB\2"},
      {FileType::uuid_map, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC"},
      {FileType::uuid_map, "bplist00"},
      {FileType::bcsymbol_map, "BCSymbolMap Version: 2.0"},
  };
  for (const Row& r : rows) EXPECT_EQ(sniff(as_bytes(r.start)), content_of(r.type)) << r.start;
  EXPECT_EQ(sniff(as_bytes("<?xml version=\"1.0\"?><html>")), Content::web_page);
  EXPECT_EQ(sniff(as_bytes("Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0"sv)), Content::old_pdb);
}

}  // namespace
}  // namespace symcached::fetch
