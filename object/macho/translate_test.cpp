#include "object/macho/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/macho/describe.hpp"
#include "object/macho/symbols.hpp"
#include "testing/checking_sink.hpp"
#include "testing/dwarf/tiny.hpp"
#include "testing/macho/image.hpp"
#include "testing/macho/mapped_object.hpp"
#include "testing/model_text.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using macho::Stab;
using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testkit::assemble;
using testkit::MachoImage;
using testkit::MachoSection;
using testkit::rich_macho;
using testkit::tiny_dwarf;

FileInfo describe(Bytes file) {
  FileInfo info;
  describe_macho(info, file);
  return info;
}
Read<void> translate(const Original& original, model::ModuleSink& sink) { return translate_macho(original, sink); }
std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions = {}) {
  return needed_files_macho(file, companions);
}

using Kind = NeedFile::Kind;

std::vector<std::string> text_of(Bytes file, std::span<const Companion> companions = {}) {
  ModelText sink;
  const auto done = translate({.file = file, .companions = companions}, sink);
  return done ? sink.text() : std::vector{to_string(done.error())};
}

std::vector<std::byte> zeros(std::size_t count) { return std::vector<std::byte>(count); }

/// A program of one section with code at 0x100000400, without symbols.
MachoImage plain_image() {
  MachoImage image;
  image.sections = {{.segment = "__TEXT",
                     .name = "__text",
                     .address = 0x100000400,
                     .data = zeros(0x100),
                     .flags = testkit::kMachoCode}};
  return image;
}

void add_dwarf(MachoImage& image, const std::vector<testkit::TinyFunction>& functions) {
  const auto dwarf = tiny_dwarf(functions, 8);
  image.sections.push_back({.segment = "__DWARF", .name = "__debug_abbrev", .data = dwarf.abbrev});
  image.sections.push_back({.segment = "__DWARF", .name = "__debug_info", .data = dwarf.info});
}

TEST(FromMacho, SymbolsStubsAndSizes) {
  const auto bytes = assemble(rich_macho(true, false));
  ModelText sink;
  ASSERT_TRUE(translate({.file = bytes}, sink));
  EXPECT_EQ(sink.module().arch, model::Arch::x86_64);
  EXPECT_EQ(sink.module().debug_id.dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10");
  EXPECT_EQ(sink.module().producer_kind, "macho");
  EXPECT_THAT(sink.text(), ElementsAre("400+18 main public",       // the size its stab states
                                       "420+20 _ZL4leafv public",  // up to the nameless function behind it
                                       "460+6 puts thunk"));
}

TEST(FromMacho, BothWordSizesAndByteOrders) {
  for (const bool is_64bit : {true, false})
    for (const bool big_endian : {true, false})
      EXPECT_THAT(text_of(assemble(rich_macho(is_64bit, big_endian))),
                  ElementsAre("400+18 main public", "420+20 _ZL4leafv public", "460+6 puts thunk"));
}

TEST(FromMacho, WhichSymbolsNameCode) {
  MachoImage image = plain_image();
  image.sections.push_back({.segment = "__TEXT", .name = "__const", .address = 0x100000500, .data = zeros(16)});
  const std::uint8_t global = macho::kDefinedInSection | macho::kExternal;
  image.symbols = {
      {.name = "__mh_execute_header", .type = global, .value = 0x100000000},
      {.name = "GCC_except_table0", .section = 2, .value = 0x100000500},
      {.name = "-[Thing do:]", .value = 0x100000410},
      {.name = "__ZN1a1bEv", .type = global, .value = 0x100000420},
      {.name = "___plain", .type = global, .value = 0x100000430},
      {.name = "ltmp0", .value = 0x100000440},
      {.name = "_weak", .type = global, .description = macho::kWeakDefinition, .value = 0x100000450},
      {.name = "_absolute", .type = 2, .section = 0, .value = 0x100000460},
      {.name = "_nowhere", .section = 9, .value = 0x100000470},
  };
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("410+10 -[Thing do:] public", "420+10 _ZN1a1bEv public",
                                                    "430+20 __plain public", "450+b0 weak public"));
  EXPECT_TRUE(is_temporary("ltmp12"));
  EXPECT_FALSE(is_temporary("ltmp") || is_temporary("ltmp1x") || is_temporary("_ltmp1"));
}

TEST(FromMacho, AFunctionThatOnlyAStabNames) {
  MachoImage image = plain_image();
  image.symbols = {
      {.name = "a.o", .type = static_cast<std::uint8_t>(Stab::object), .section = 0},
      {.name = "_local", .type = static_cast<std::uint8_t>(Stab::function), .value = 0x100000440},
      {.name = "", .type = static_cast<std::uint8_t>(Stab::function), .value = 0x14},
  };
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("440+14 local public"));
}

TEST(FromMacho, DwarfOfTheFileItself) {
  MachoImage image = plain_image();
  add_dwarf(image, {{"run", 0x100000410, 0x20}});
  image.symbols = {{.name = "_run", .value = 0x100000410}, {.name = "_other", .value = 0x100000450}};
  EXPECT_THAT(text_of(assemble(image)),
              ElementsAre("410+20 run", "410+40 run public", "430+20 run public", "450+b0 other public"));
  EXPECT_THAT(needed_files(assemble(image)), IsEmpty());
}

TEST(FromMacho, PackedDwarf) {
  // Stored deflate blocks in a zlib stream, behind "ZLIB" and the size.
  const auto packed = [](const std::vector<std::byte>& plain) {
    testkit::Section out;
    const auto size = static_cast<std::uint16_t>(plain.size());
    std::uint32_t a = 1, b = 0;
    for (const std::byte c : plain) a = (a + static_cast<std::uint32_t>(c)) % 65521, b = (b + a) % 65521;
    out.text("ZLIB").u64_big(size).u8(0x78).u8(0x01).u8(1).u16(size).u16(static_cast<std::uint16_t>(~size));
    return out.bytes(plain).u32_big(b << 16 | a).finish();
  };
  MachoImage image = plain_image();
  const auto dwarf = tiny_dwarf({{"run", 0x100000410, 0x20}}, 8);
  image.sections.push_back({.segment = "__DWARF", .name = "__zdebug_abbrev", .data = packed(dwarf.abbrev)});
  image.sections.push_back({.segment = "__DWARF", .name = "__zdebug_info", .data = packed(dwarf.info)});
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("410+20 run"));
  const auto bytes = assemble(image);
  ModelText sink;
  const std::size_t size = dwarf.abbrev.size() + dwarf.info.size();
  EXPECT_TRUE(translate({.file = bytes, .inflate = InflateLimits::exactly(size)}, sink));
  const auto refused = translate({.file = bytes, .inflate = InflateLimits::exactly(size - 1)}, sink);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ReadError::Kind::unpacks_too_large);
}

TEST(FromMacho, TheDsymOfAnImage) {
  MachoImage image = plain_image();
  image.symbols = {{.name = "_run", .value = 0x100000410}};
  const auto bytes = assemble(image);
  const auto needed = needed_files(bytes);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_EQ(needed[0].kind, Kind::dsym);
  EXPECT_EQ(needed[0].build_id, "0102030405060708090a0b0c0d0e0f10");

  MachoImage dsym = plain_image();
  dsym.type = macho::FileType::dsym;
  dsym.sections[0].data.clear();
  dsym.sections[0].size = 0x100;
  add_dwarf(dsym, {{"run", 0x100000410, 0x30}});
  MachoImage foreign = dsym;
  foreign.uuid = 7;
  const auto own = assemble(dsym), other = assemble(foreign);
  const auto fat = testkit::assemble_fat({{.file = other}, {.file = own}});
  struct Row {
    std::string_view why;
    Bytes file;
    std::string_view first;
    std::size_t needed;
  };
  const Row rows[] = {
      {"the image's own", own, "410+30 run", 0},
      {"one slice is", fat, "410+30 run", 0},
      {"of another image", other, "410+f0 run public", 1},
      {"no DWARF in it", bytes, "410+f0 run public", 1},
  };
  for (const Row& r : rows) {
    const Companion companion{needed[0], r.file};
    EXPECT_EQ(text_of(bytes, {&companion, 1}).front(), r.first) << r.why;
    EXPECT_EQ(needed_files(bytes, {&companion, 1}).size(), r.needed) << r.why;
  }
}

NeedFile need_of(Kind kind, std::string uuid) { return {.kind = kind, .build_id = std::move(uuid)}; }

TEST(FromMacho, HiddenNames) {
  MachoImage image = plain_image();
  image.symbols = {{.name = "___hidden#0_", .value = 0x100000410}, {.name = "__hidden#1_", .value = 0x100000450}};
  add_dwarf(image, {{"__hidden#0_", 0x100000410, 0x20}});
  const auto bytes = assemble(image);
  const auto needed = needed_files(bytes);
  const std::string uuid = "0102030405060708090a0b0c0d0e0f10", original = "ffeeddccbbaa99887766554433221100";
  EXPECT_THAT(needed, ElementsAre(need_of(Kind::uuid_map, uuid), need_of(Kind::symbol_map, uuid)));
  const std::string text = "<plist><dict><key>DBGOriginalUUID</key><string>" + original + "</string>";
  const Companion list{needed[0], as_bytes(text)}, damaged{needed[0], as_bytes("<plist>")};
  EXPECT_THAT(needed_files(bytes, {&list, 1}), ElementsAre(need_of(Kind::symbol_map, original)));
  EXPECT_THAT(needed_files(bytes, {&damaged, 1}), Eq(needed));
  const Companion companion{needed[1], as_bytes("BCSymbolMap Version: 2.0\nfirst\n_second\n")};
  EXPECT_THAT(text_of(bytes, {&companion, 1}),
              ElementsAre("410+20 first", "410+40 first public", "430+20 first public", "450+b0 second public"));
  EXPECT_THAT(needed_files(bytes, {&companion, 1}), IsEmpty());
}

TEST(FromMacho, TheSliceOfAUniversalFile) {
  MachoImage with_names = plain_image(), with_dwarf = plain_image();
  with_names.symbols = {{.name = "_first", .value = 0x100000410}};
  with_dwarf.cpu = macho::Cpu::arm64;
  add_dwarf(with_dwarf, {{"second", 0x100000420, 8}});
  const testkit::MachoSlice names{.file = assemble(with_names)};
  const testkit::MachoSlice dwarf{.cpu = macho::Cpu::arm64, .cpu_subtype = 2, .file = assemble(with_dwarf)};
  EXPECT_THAT(text_of(testkit::assemble_fat({names, dwarf})), ElementsAre("420+8 second"));
  EXPECT_THAT(text_of(testkit::assemble_fat({names, names}, true)), ElementsAre("410+f0 first public"));
  const FileInfo info = describe(testkit::assemble_fat({names, dwarf}));
  EXPECT_EQ(info.arch, model::Arch::arm64) << "of the slice that is translated";
  ASSERT_EQ(info.slices.size(), 2u);
  EXPECT_EQ(info.slices[0].arch, "x86_64");
  EXPECT_EQ(info.slices[1].arch, "arm64e");
  EXPECT_EQ(info.slices[1].debug_id->dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10");
  EXPECT_EQ(info.slices[1].size, dwarf.file.size());
}

TEST(FromMacho, AddressesCountFromText) {
  EXPECT_EQ(image_base_macho(assemble(rich_macho(true, false))), 0x100000000u);
  EXPECT_EQ(image_base_macho(assemble(rich_macho(false, true))), 0x1000u);
  EXPECT_EQ(image_base_macho(assemble(testkit::object_file(false))), 0u);
  EXPECT_FALSE(image_base_macho(Bytes(assemble(plain_image())).first(8)));
}

TEST(FromMacho, WhatIsToldOfAFile) {
  MachoImage image = rich_macho(true, false);
  image.cpu = macho::Cpu::arm64;
  image.cpu_subtype = 0x80000002;
  image.type = macho::FileType::dylib;
  image.library_name = "/usr/lib/libx.dylib";
  image.encrypted = true;
  const FileInfo info = describe(assemble(image));
  EXPECT_EQ(info.arch, model::Arch::arm64);
  EXPECT_EQ(info.debug_id->dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10");
  EXPECT_EQ(info.code_id, "0102030405060708090a0b0c0d0e0f10");
  EXPECT_EQ(info.debug_file, "/usr/lib/libx.dylib");
  EXPECT_THAT(info.features, ElementsAre("dylib", "arm64e", "encrypted", "symbols", "function-starts", "debug-map"));
  EXPECT_FALSE(info.error);
  auto cut = assemble(image);
  cut.resize(cut.size() - 1);
  EXPECT_EQ(describe(cut).error->field, "macho.symtab.strings");
  EXPECT_EQ(describe(cut).code_id, info.code_id);
  EXPECT_EQ(describe(Bytes(cut).first(20)).error->field, "macho.header");
}

TEST(FromMacho, NamesRepeatedWithoutEndAreRefused) {
  MachoImage image = plain_image();
  const std::string name(2000, 'n');
  image.symbols = {{.name = name, .value = 0x100000410}};
  for (int i = 0; i < 100; ++i) image.symbols.push_back({.name = "", .value = 0x100000410});
  auto bytes = assemble(image);
  const auto file = macho::File::open(bytes);
  const std::size_t rows = bytes.size() - (1 + name.size() + 1) - 1 - 101 * 16;  // rows, end of starts, strings
  for (std::size_t i = 1; i <= 100; ++i) testkit::patch(bytes, rows + i * 16, u32le(1));
  ModelText sink;
  const auto done = translate({.file = bytes}, sink);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().field, "macho.symtab.names");
}

std::vector<testkit::StoredInput> fuzz_inputs() {
  MachoImage with_dwarf = plain_image();
  add_dwarf(with_dwarf, {{"run", 0x100000410, 0x20}});
  const auto rich = assemble(rich_macho(true, false));
  auto cut = rich;
  cut.resize(cut.size() - 30);
  return {{"rich.bin", rich},
          {"narrow_big.bin", assemble(rich_macho(false, true))},
          {"dwarf.bin", assemble(with_dwarf)},
          {"object.bin", assemble(testkit::object_file(true))},
          {"linked.bin", assemble(testkit::linked_image("/out/lib.a(a.o)", 77))},
          {"fat.bin", testkit::assemble_fat({{.file = rich}, {.file = assemble(with_dwarf)}})},
          {"cut.bin", cut}};
}

TEST(FromMacho, EveryFlippedBitIsRefusedOrTranslated) {
  for (const testkit::StoredInput& input : fuzz_inputs()) {
    for (std::size_t bit = 0; bit < input.bytes.size() * 8; ++bit) {
      testkit::Exact flipped(input.bytes);
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      testkit::CheckingSink sink;
      [[maybe_unused]] const auto done = translate_macho({.file = flipped.bytes()}, sink);
      [[maybe_unused]] const auto needed = needed_files_macho(flipped.bytes(), {});
    }
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(FromMachoFuzzCorpus, IsWhatTheAssemblerMakes) {
  testkit::expect_stored("object/macho/fuzz_corpus/translate_fuzz", fuzz_inputs());
}

}  // namespace
}  // namespace symcached::object
