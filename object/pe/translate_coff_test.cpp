#include "object/pe/translate_coff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/pe/coff_object.hpp"
#include "object/pe/describe.hpp"
#include "testing/checking_sink.hpp"
#include "testing/model_text.hpp"
#include "testing/pe/coff_image.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testkit::CoffImage;
using testkit::kCoffDebug;
using testkit::Section;

FileInfo describe(Bytes file) {
  FileInfo info;
  describe_coff(info, file);
  return info;
}
Read<void> translate(const Original& original, model::ModuleSink& sink) { return translate_coff(original, sink); }

std::vector<std::string> translated(const CoffImage& image) {
  const auto bytes = testkit::assemble_object(image).finish();
  EXPECT_TRUE(pe::is_object(bytes));
  ModelText text;
  const auto result = translate({bytes}, text);
  if (!result) return {to_string(result.error())};
  EXPECT_EQ(text.module().producer_kind, "coff");
  return text.text();
}

/// Two sections of code; `run` is at 8 in the second, which its DWARF says by relocations.
CoffImage two_sections(std::uint8_t address_size) {
  const bool is_64bit = address_size == 8;
  const Section info = testkit::tiny_info("run", 8, 0x10, address_size);
  const std::uint16_t address = is_64bit ? 1 : 6;
  return {.machine = static_cast<std::uint16_t>(is_64bit ? 0x8664 : 0x14C),
          .sections = {{".text", 0x60500020, std::vector<std::byte>(0x21)},
                       {".data", 0xC0000040, std::vector<std::byte>(8)},
                       {".text$run", 0x60501020, std::vector<std::byte>(0x20)},
                       {".debug_abbrev", kCoffDebug, testkit::tiny_abbrev()},
                       {".debug_info",
                        kCoffDebug,
                        info.finish(),
                        {{static_cast<std::uint32_t>(info.at("low_pc")), 1, address},
                         {static_cast<std::uint32_t>(info.at("abbrev")), 2, 0xB}}}},
          .symbols = {{.name = "first"},
                      {.name = ".text$run", .section = 3, .type = 0, .storage_class = 3},
                      {.name = ".debug_abbrev", .section = 4, .type = 0, .storage_class = 3},
                      {.name = "data", .section = 2},
                      {.name = "tail", .value = 0x18, .section = 3}}};
}

TEST(FromCoff, SectionsOfCodeStandOneAfterAnother) {
  for (const std::uint8_t address_size : {std::uint8_t{4}, std::uint8_t{8}})
    for (const bool big : {false, true}) {
      CoffImage image = two_sections(address_size);
      image.big = big;
      EXPECT_THAT(translated(image), ElementsAre("0+21 first public", "38+10 run", "48+8 tail public"));
    }
}

TEST(FromCoff, SectionsOfCodeAreListed) {
  const auto want = ElementsAre(model::CodeSection{".text", {0}, 0x21}, model::CodeSection{".text$run", {0x30}, 0x20});
  const auto file = testkit::assemble_object(two_sections(8)).finish();
  ModelText text;
  ASSERT_TRUE(translate({file}, text));
  EXPECT_THAT(text.module().sections, want);
  EXPECT_THAT(describe(file).sections, want);
}

TEST(FromCoff, CodeThatIsNowhereIsLeftOut) {
  CoffImage image = two_sections(8);
  image.sections[4].relocations[0].symbol = 3;  // says that it is in the data
  EXPECT_THAT(translated(image), ElementsAre("0+21 first public", "48+8 tail public"));
}

TEST(FromCoff, SymbolsAlone) {
  CoffImage image = two_sections(8);
  image.sections.resize(3);
  image.symbols.erase(image.symbols.begin() + 2);
  EXPECT_THAT(translated(image), ElementsAre("0+21 first public", "48+8 tail public"));
  image.symbols = {{.name = "data", .section = 2}};
  EXPECT_THAT(translated(image), ElementsAre(HasSubstr("compile with -g")));
}

TEST(FromCoff, DescribedByItsParts) {
  const FileInfo info = describe(testkit::assemble_object(two_sections(8)).finish());
  EXPECT_EQ(info.arch, model::Arch::x86_64);
  EXPECT_THAT(info.features, ElementsAre("symbols", "dwarf"));
  EXPECT_FALSE(info.error);
}

TEST(FromCoff, CutsAreNamed) {
  const auto out = testkit::assemble_object(two_sections(8));
  const auto whole = out.finish();
  struct Row {
    std::size_t size;
    std::string_view field;
  };
  const Row rows[] = {
      {out.at("sections") + 199, "coff.section_headers"},
      {out.at("symbols"), "coff.symbols"},
  };
  for (const Row& r : rows) {
    testkit::CheckingSink sink;
    const auto result = translate_coff({Bytes(whole).first(r.size)}, sink);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().field, r.field);
  }
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const testkit::Exact cut(Bytes(whole).first(n));
    testkit::CheckingSink sink;
    (void)translate_coff({cut.bytes()}, sink);
  }
}

}  // namespace
}  // namespace symcached::object
