#include "object/pe/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crc32.hpp"
#include "testing/checking_sink.hpp"
#include "testing/model_text.hpp"
#include "testing/pe/image.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testkit::kPeUnwindRva;
using testkit::PeImage;
using testkit::Section;

Read<void> translate(const Original& original, model::ModuleSink& sink) { return translate_pe(original, sink); }
std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions = {}) {
  return needed_files_pe(file, companions);
}

constexpr std::uint64_t kBase = 0x140000000;  ///< image base of the assembled 64-bit image

std::vector<std::string> translated(const PeImage& image, std::span<const Companion> companions = {}) {
  const auto bytes = testkit::assemble(image).finish();
  ModelText text;
  const auto result = translate({bytes, companions}, text);
  if (!result) return {to_string(result.error())};
  EXPECT_EQ(text.module().producer_kind, "pe");
  return text.text();
}

/// An image without any debug information.
PeImage bare() { return {.debug_names = false}; }

TEST(FromPe, FunctionsOfTheSymbolTable) {
  PeImage image = bare();
  image.symbols = {
      {.name = ".text", .value = 0, .type = 0, .storage_class = 3, .aux = 1},
      {.name = "main", .value = 0, .aux = 1},
      {.name = "a_static_function", .value = 0x10, .storage_class = 3},
      {.name = "sized", .value = 0x20, .aux = 1, .code_size = 4},
      {.name = ".l_label", .value = 0x24, .type = 0, .storage_class = 6},
      {.name = "assembly", .value = 0x30, .type = 0},
      {.name = "Sleep", .value = 0x40, .type = 0},
      {.name = "__imp_Sleep", .value = 0, .section = 2, .type = 0},
      {.name = ".weak.inline_one.of_a_file", .value = 0x50, .type = 0},
      {.name = "__CTOR_LIST__", .value = 0x60, .type = 0},
      {.name = "data", .value = 0, .section = 2, .type = 0},
      {.name = "elsewhere", .value = 0, .section = 0},
      {.name = "outside", .value = 0x100},
      {.name = "no_such_section", .value = 0, .section = 77},
  };
  EXPECT_THAT(translated(image),
              ElementsAre("1000+10 main public", "1010+10 a_static_function public", "1020+4 sized public",
                          "1030+10 assembly public", "1040+10 Sleep thunk", "1050+b0 inline_one public"));
}

TEST(FromPe, NamesOf32BitX86LoseTheirUnderscore) {
  PeImage image = bare();
  image.is_64bit = false;
  image.machine = 0x14C;
  image.symbols = {{.name = "_main"},
                   {.name = "__Z3runv", .value = 0x10},
                   {.name = "@fast@8", .value = 0x20},
                   {.name = "_Sleep@4", .value = 0x30, .type = 0},
                   {.name = "__imp__Sleep@4", .section = 2, .type = 0}};
  EXPECT_THAT(translated(image), ElementsAre("1000+10 main public", "1010+10 _Z3runv public", "1020+10 @fast@8 public",
                                             "1030+d0 Sleep@4 thunk"));
}

TEST(FromPe, ExportsWhereNothingElseNamesCode) {
  PeImage image = bare();
  image.exports = {{.name = "b", .slot = 1, .rva = 0x1040},
                   {.name = "a", .slot = 0, .rva = 0x1000},
                   {.name = "data", .slot = 2, .rva = 0x2300},
                   {.name = "gone", .slot = 4, .forwarder = "K.x"},
                   {.slot = 3, .rva = 0x1080}};
  EXPECT_THAT(translated(image), ElementsAre("1000+40 a public", "1040+40 b public", "1080+80 Ordinal10 public"));
  image.symbols = {{.name = "main"}};
  EXPECT_THAT(translated(image), ElementsAre("1000+100 main public")) << "a symbol table is better";
}

TEST(FromPe, SizesAndFarPiecesFromUnwindEntries) {
  constexpr std::uint32_t kChained = kPeUnwindRva + 8;
  PeImage image = bare();
  image.exports = {{.name = "a", .slot = 0, .rva = 0x1000},
                   {.name = "inside_a", .slot = 1, .rva = 0x1008},
                   {.name = "leaf", .slot = 2, .rva = 0x1040},
                   {.name = "b", .slot = 3, .rva = 0x1080}};
  image.unwind = Section().u8(1).zeros(7).u8(1 | 4 << 3).zeros(3).u32(0x1000).u32(0x1010).u32(kPeUnwindRva).finish();
  image.exceptions = Section()
                         .u32(0x1000)
                         .u32(0x1010)
                         .u32(kPeUnwindRva)  // a …
                         .u32(0x1010)
                         .u32(0x1018)
                         .u32(kChained)  // … goes on
                         .u32(0x1050)
                         .u32(0x1060)
                         .u32(kPeUnwindRva)  // has no name
                         .u32(0x1080)
                         .u32(0x1090)
                         .u32(kPeUnwindRva)  // b
                         .u32(0x10A0)
                         .u32(0x10B0)
                         .u32(kChained)  // a's cold part
                         .finish();
  EXPECT_THAT(translated(image), ElementsAre("1000+18 a public", "1008+10 inside_a public", "1040+10 leaf public",
                                             "1080+10 b public", "10a0+10 a public"));
}

/// One function `run` of 0x20 bytes at RVA 0x1010.
std::vector<testkit::PeExtraSection> tiny_dwarf() {
  return {{".debug_abbrev", testkit::tiny_abbrev()},
          {".debug_info", testkit::tiny_info("run", kBase + 0x1010, 0x20, 8).finish()}};
}

TEST(FromPe, DwarfThenSymbols) {
  PeImage image = bare();
  image.debug = {{.data = testkit::rsds("app.pdb", 2)}};
  image.extra = tiny_dwarf();
  image.exports = {{.name = "not_needed", .slot = 0, .rva = 0x1080}};
  EXPECT_THAT(translated(image), ElementsAre("1010+20 run"));
  image.symbols = {{.name = "start"}, {.name = "end", .value = 0x80}};
  EXPECT_THAT(translated(image),
              ElementsAre("1000+10 start public", "1010+20 run", "1030+50 start public", "1080+80 end public"));

  const auto bytes = testkit::assemble(image).finish();
  ModelText text;
  ASSERT_TRUE(translate({bytes}, text));
  EXPECT_EQ(text.module().arch, model::Arch::x86_64);
  EXPECT_EQ(text.module().debug_id.dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10-2");
  EXPECT_EQ(text.module().debug_file, "app.pdb");
}

TEST(FromPe, CompressedSectionsSayTheirSize) {
  PeImage image = bare();
  const auto info = tiny_dwarf()[1].data;
  Section packed;  // a zlib stream of one stored block
  packed.text("ZLIB").u64_big(info.size()).u8(0x78).u8(1).u8(1).u16(static_cast<std::uint16_t>(info.size()));
  packed.u16(static_cast<std::uint16_t>(~info.size())).bytes(info);
  std::uint32_t a = 1, b = 0;
  for (const std::byte byte : info) a = (a + std::to_integer<std::uint32_t>(byte)) % 65521, b = (b + a) % 65521;
  packed.u32_big(b << 16 | a);
  image.extra = {{".debug_abbrev", testkit::tiny_abbrev()}, {".zdebug_info", packed.finish()}};
  EXPECT_THAT(translated(image), ElementsAre("1010+20 run"));
  const auto bytes = testkit::assemble(image).finish();
  ModelText sink;
  EXPECT_TRUE(translate_pe({.file = bytes, .inflate = InflateLimits::exactly(info.size())}, sink));
  const auto refused = translate_pe({.file = bytes, .inflate = InflateLimits::exactly(info.size() - 1)}, sink);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ReadError::Kind::unpacks_too_large);
  image.extra[1].data.resize(8);
  EXPECT_THAT(translated(image), ElementsAre(HasSubstr("pe.zdebug.size")));
  image.extra[1].data[0] = std::byte{'X'};
  EXPECT_THAT(translated(image), ElementsAre(HasSubstr("pe.zdebug.mark")));
}

TEST(FromPe, TheFileThatADebugLinkNames) {
  PeImage debug = bare();
  debug.extra = tiny_dwarf();
  debug.symbols = {{.name = "start"}};
  const auto debug_bytes = testkit::assemble(debug).finish();
  PeImage stripped = bare();
  stripped.exports = {{.name = "exported", .slot = 0, .rva = 0x1080}};
  stripped.extra = {{".gnu_debuglink", Section().c_string("a.debug").u32(crc32(debug_bytes)).finish()}};
  const auto bytes = testkit::assemble(stripped).finish();

  const auto needed = needed_files(bytes);
  ASSERT_THAT(needed, SizeIs(1));
  EXPECT_EQ(needed[0], (NeedFile{.path = "a.debug", .directory = {}, .build_id = {}, .crc32 = crc32(debug_bytes)}));
  EXPECT_THAT(translated(stripped), ElementsAre("1080+80 exported public")) << "without it";

  std::vector<Companion> companions = {{needed[0], debug_bytes}};
  EXPECT_THAT(needed_files(bytes, companions), IsEmpty());
  EXPECT_THAT(translated(stripped, companions),
              ElementsAre("1000+10 start public", "1010+20 run", "1030+d0 start public"));

  debug.timestamp += 1;
  const auto other = testkit::assemble(debug).finish();
  companions[0].file = other;
  EXPECT_THAT(needed_files(bytes, companions), SizeIs(1)) << "another build's file";
  EXPECT_THAT(translated(stripped, companions), ElementsAre("1080+80 exported public"));
  EXPECT_THAT(needed_files(testkit::assemble(debug).finish()), IsEmpty()) << "has DWARF itself";
}

TEST(FromPe, RefusedWhereNothingNamesCode) {
  EXPECT_THAT(translated(bare()), ElementsAre(HasSubstr("no DWARF, COFF symbols or exports")));
  PeImage image = bare();
  image.exports = {{.name = "data", .slot = 0, .rva = 0x2300}};
  EXPECT_THAT(translated(image), ElementsAre(HasSubstr("no DWARF, COFF symbols or exports")));
}

TEST(FromPe, NamesThatAreSharedWithoutEndAreRefused) {
  constexpr std::uint32_t kMany = 2000;
  const std::string name(60000, 'x');
  PeImage image = bare();
  image.symbols.assign(kMany, {.name = "a short one that is in the table"});
  image.symbols.push_back({.name = name});
  const auto out = testkit::assemble(image);
  auto bytes = out.finish();
  const std::uint64_t last = out.at("symbols") + kMany * sizeof(pe::SymbolRecord);
  const auto offset = *read_at<u32le>(bytes, last + 4, "test");
  for (std::uint32_t i = 0; i < kMany; ++i)
    testkit::patch(bytes, out.at("symbols") + i * sizeof(pe::SymbolRecord) + 4, offset);
  testkit::CheckingSink sink;
  EXPECT_EQ(translate_pe({bytes}, sink).error().field, "coff.symbol.names");
}

TEST(FromPe, SaysItsImageBase) {
  EXPECT_EQ(image_base_pe(testkit::assemble(bare()).finish()), kBase);
  EXPECT_EQ(image_base_pe(testkit::assemble(PeImage{.is_64bit = false}).finish()), 0x400000u);
}

TEST(FromPe, AddressesDoNotWrapAround) {
  const auto out = testkit::assemble(bare());
  auto bytes = out.finish();
  testkit::patch(bytes, out.at("optional") + 24, u64le(0xFFFFFFFFFFFF0000));
  testkit::CheckingSink sink;
  EXPECT_EQ(translate_pe({bytes}, sink).error().field, "pe.image_base");
}

PeImage one_of_all() {
  PeImage image = bare();
  image.extra = tiny_dwarf();
  image.symbols = {
      {.name = "start"}, {.name = "Sleep", .value = 0x80, .type = 0}, {.name = "__imp_Sleep", .section = 2}};
  image.unwind = Section().u8(1).zeros(3).finish();
  image.exceptions = Section().u32(0x1000).u32(0x1008).u32(kPeUnwindRva).finish();
  return image;
}

TEST(FromPe, EveryCutIsRefusedOrRead) {
  const auto whole = testkit::assemble(one_of_all()).finish();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const testkit::Exact cut(Bytes(whole).first(n));
    testkit::CheckingSink sink;
    (void)translate_pe({cut.bytes()}, sink);
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(FromPeFuzzCorpus, IsWhatTheAssemblerMakes) {
  PeImage exported = bare();
  exported.exports = {{.name = "b", .slot = 1, .rva = 0x1040}, {.slot = 0, .rva = 0x1000}};
  exported.extra = {{".gnu_debuglink", Section().c_string("a.debug").u32(1).finish()}};
  const auto object = [](bool big) {
    return testkit::assemble_object(
               testkit::CoffImage{.big = big,
                                  .sections = {{".text", 0x60500020, std::vector<std::byte>(0x40)},
                                               {".debug_abbrev", testkit::kCoffDebug, testkit::tiny_abbrev()},
                                               {".debug_info",
                                                testkit::kCoffDebug,
                                                testkit::tiny_info("run", 0x10, 0x20, 8).finish(),
                                                {{17, 0, 1}}}},
                                  .symbols = {{.name = "run"}}})
        .finish();
  };
  const testkit::StoredInput inputs[] = {
      {"dwarf_and_symbols.bin", testkit::assemble(one_of_all()).finish()},
      {"exports.bin", testkit::assemble(exported).finish()},
      {"object.bin", object(false)},
      {"big_object.bin", object(true)},
  };
  testkit::expect_stored("object/pe/fuzz_corpus/translate_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
