#include "formats/pe/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "testing/pe/image.hpp"
#include "testing/pe/walk.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::pe {
namespace {

using testkit::assemble;
using testkit::Exact;
using testkit::PeImage;
using testkit::rich_image;
using testkit::Section;

TEST(PeImage, ReadsBothOptionalHeaders) {
  struct Row {
    bool is_64bit;
    std::uint64_t base;
    std::uint16_t machine;
    Machine want;
  };
  const Row rows[] = {
      {true, 0x140000000, 0x8664, Machine::amd64},
      {false, 0x400000, 0x14C, Machine::i386},
  };
  for (const Row& r : rows) {
    PeImage spec = rich_image(r.is_64bit);
    spec.machine = r.machine;
    const auto bytes = assemble(spec).finish();
    const auto image = Image::open(bytes);
    ASSERT_TRUE(image) << to_string(image.error());
    EXPECT_EQ(image->header().is_64bit, r.is_64bit);
    EXPECT_EQ(image->header().image_base, r.base);
    EXPECT_EQ(image->header().entry_point, 0x1004u);
    EXPECT_EQ(image->header().section_alignment, 0x1000u);
    EXPECT_EQ(image->header().file_alignment, 0x200u);
    EXPECT_EQ(image->header().image_size, 0x9000u);
    EXPECT_EQ(image->header().headers_size, 0x400u);
    EXPECT_EQ(image->header().subsystem, 3u);
    EXPECT_EQ(image->header().dll_characteristics, 0x8160u);
    EXPECT_EQ(image->machine(), r.want);
    EXPECT_EQ(image->directories().size(), 16u);
    EXPECT_EQ(image->sections().size(), 4u);
    EXPECT_EQ(image->code_id(), "5AB380779000");
    EXPECT_FALSE(image->is_dll());
    bool whole = false;
    testkit::walk_everything(*image, whole);
    EXPECT_TRUE(whole);
  }
}

TEST(PeImage, CodeIdPadsTheTimestampAndNotTheSize) {
  struct Row {
    std::uint32_t timestamp, image_size;
    std::uint16_t characteristics;
    std::string_view want;
    bool dll;
  };
  const Row rows[] = {
      {0x5AB38077, 0x9000, 0x102, "5AB380779000", false},
      {0x00000ABC, 0x1AB000, kFileDll | 0x22, "00000ABC1ab000", true},
      {0xFFFFFFFF, 0, kFileDll, "FFFFFFFF0", true},
  };
  for (const Row& r : rows) {
    const auto bytes =
        assemble({.characteristics = r.characteristics, .timestamp = r.timestamp, .image_size = r.image_size}).finish();
    const auto image = Image::open(bytes);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->code_id(), r.want);
    EXPECT_EQ(image->is_dll(), r.dll) << r.want;
  }
}

TEST(PeImage, MachinesWithAndWithoutASystemMask) {
  struct Row {
    std::string_view why;
    std::uint16_t raw;
    Machine want;
  };
  const Row rows[] = {
      {"x86", 0x14C, Machine::i386},
      {"x64", 0x8664, Machine::amd64},
      {"ARM64", 0xAA64, Machine::arm64},
      {"ARM64EC", 0xA641, Machine::arm64ec},
      {"ARM64X", 0xA64E, Machine::arm64x},
      {"ARM, Thumb-2", 0x1C4, Machine::armnt},
      {"x64 on Linux", 0x8664 ^ 0x7B79, Machine::amd64},
      {"ARM64 on macOS", 0xAA64 ^ 0x4644, Machine::arm64},
      {"none", 0, Machine::unknown},
      {"not known to us", 0x1234, Machine::unknown},
  };
  for (const Row& r : rows) EXPECT_EQ(machine_of(r.raw), r.want) << r.why;
}

TEST(PeImage, SectionNames) {
  Section out = assemble(rich_image(true));
  auto bytes = out.finish();
  const auto names = [&] {
    std::vector<std::string> found;
    const auto image = Image::open(bytes);
    for (const SectionHeader& section : image->sections()) found.emplace_back(image->section_name(section));
    return found;
  };
  EXPECT_THAT(names(), testing::ElementsAre(".text", ".rdata", ".debug_info", ".debug_str"));
  EXPECT_NE(Image::open(bytes)->find_section(".debug_info"), nullptr);
  EXPECT_EQ(Image::open(bytes)->find_section(".debug_line"), nullptr);

  const auto rename = [&](std::string_view text) {
    const auto name = Section().text_in(text, 8).finish();
    std::copy(name.begin(), name.end(), bytes.begin() + static_cast<std::ptrdiff_t>(out.at("sections")));
    return names().front();
  };
  struct Row {
    std::string_view why, raw, want;
  };
  const Row rows[] = {
      {"eight bytes, no NUL", "12345678", "12345678"},
      {"into the size field", "/3", "/3"},
      {"past the table", "/27", "/27"},
      {"no digits", "/", "/"},
      {"not a number", "/4x", "/4x"},
      {"negative", "/-4", "/-4"},
      {"not base 64", "//AAAA*A", "//AAAA*A"},
      {"the middle of a name", "/11", "info"},
      {"empty", "", ""},
  };
  for (const Row& r : rows) EXPECT_EQ(rename(r.raw), r.want) << r.why;

  testkit::patch(bytes, out.at("strings"), u32le(0xFFFFFFFF));
  EXPECT_EQ(rename("/4"), "/4") << "a table that does not fit into the file is none";
}

TEST(PeImage, RvaAndFileOffset) {
  const auto bytes = assemble(rich_image(true)).finish();
  const auto image = Image::open(bytes);
  ASSERT_TRUE(image);
  struct Row {
    std::string_view why;
    std::uint32_t rva;
    std::optional<std::uint64_t> offset;
  };
  const Row rows[] = {
      {"the headers", 0, 0},
      {"last byte of the headers", 0x3FF, 0x3FF},
      {"between headers and .text", 0x400, std::nullopt},
      {"first byte of .text", 0x1000, 0x400},
      {"last byte the file has", 0x100F, 0x40F},
      {"zero-filled by the loader", 0x1010, std::nullopt},
      {"no virtual size: the raw one", 0x23FF, 0x9FF},
      {"past the last section", 0x5000, std::nullopt},
      {"the end of the address space", 0xFFFFFFFF, std::nullopt},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(image->offset_of(r.rva), r.offset) << r.why;
    EXPECT_EQ(r.offset.transform([&](std::uint64_t at) { return image->rva_of(at) == r.rva; }).value_or(true), true)
        << r.why;
  }
  EXPECT_EQ(image->rva_of(bytes.size()), std::nullopt);
  EXPECT_EQ(image->rva_of(0x410), std::nullopt) << "padding behind .text";
  EXPECT_EQ(as_text(*image->at_rva(0x1008, 8, "test")), "89abcdef");
  EXPECT_EQ(image->at_rva(0x1008, 9, "test").error().kind, ReadError::Kind::truncated);
  EXPECT_EQ(image->at_rva(0x1008, 0xFFFFFFFF, "test").error().kind, ReadError::Kind::truncated);
}

TEST(PeImage, WrongHeadersAreNamed) {
  const Section out = assemble(rich_image(true));
  struct Row {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view field;
  };
  const Row rows[] = {
      {"no MZ", 0, 0, "pe.dos_header.magic"},
      {"PE header past the end", 60, 0xFFFFFFFF, "pe.signature"},
      {"no PE", 64, 0x454E, "pe.signature"},
      {"an object file's optional header", out.at("coff") + 16, 0, "pe.optional_header.magic"},
      {"too small an optional header", out.at("coff") + 16, 111, "pe.optional_header"},
      {"an optional header past the end", out.at("coff") + 16, 0xFFFF, "pe.optional_header"},
      {"neither PE32 nor PE32+", out.at("optional"), 0x107, "pe.optional_header.magic"},
      {"directories past the optional header", out.at("coff") + 16, 112 + 8 * 15, "pe.data_directories"},
      {"more sections than bytes", out.at("coff") + 0, 0xFFFF8664, "pe.section_headers"},
  };
  for (const Row& r : rows) {
    auto bytes = out.finish();
    testkit::patch(bytes, r.at, u32le(r.value));
    const auto image = Image::open(bytes);
    ASSERT_FALSE(image) << r.why;
    EXPECT_EQ(image.error().field, r.field) << r.why;
  }
}

TEST(PeImage, FewAndManyDirectories) {
  struct Row {
    std::uint32_t stated;
    std::size_t want;
    bool debug;
  };
  const Row rows[] = {{0, 0, false}, {6, 6, false}, {7, 7, true}, {16, 16, true}, {0xFFFFFFFF, 16, true}};
  for (const Row& r : rows) {
    PeImage spec = rich_image(true);
    spec.directory_count = r.stated;
    const auto bytes = assemble(spec).finish();
    const auto image = Image::open(bytes);
    ASSERT_TRUE(image) << r.stated;
    EXPECT_EQ(image->directories().size(), r.want);
    EXPECT_EQ(image->directory(Directory::debug).has_value(), r.debug) << r.stated;
    EXPECT_EQ(image->debug_entries()->empty(), !r.debug) << r.stated;
  }
}

TEST(PeImage, EveryCutIsRefusedOrRead) {
  for (const bool is_64bit : {true, false}) {
    const Section out = assemble(rich_image(is_64bit));
    const auto whole = out.finish();
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const Exact cut(Bytes(whole).first(n));
      const auto image = Image::open(cut.bytes());
      EXPECT_EQ(image.has_value(), n >= out.at("sections_end")) << n << " bytes";
      if (!image) continue;
      bool debug_read = false;
      testkit::walk_everything(*image, debug_read);
      EXPECT_EQ(debug_read, n >= out.at("data7_end")) << n << " bytes";
    }
  }
}

TEST(PeImage, EveryFlippedBitIsRefusedOrRead) {
  for (const bool is_64bit : {true, false}) {
    const auto whole = assemble(rich_image(is_64bit)).finish();
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      Exact flipped(whole);
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      bool ignored = false;
      if (const auto image = Image::open(flipped.bytes())) testkit::walk_everything(*image, ignored);
    }
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(PeFuzzCorpus, IsWhatTheAssemblerMakes) {
  const Section rich = assemble(rich_image(true));
  auto endless_sections = rich.finish();
  testkit::patch(endless_sections, rich.at("coff") + 2, u16le(0xFFFF));
  auto far_data = rich.finish();
  testkit::patch(far_data, rich.at("debug") + 24, u32le(0xFFFFFF00));
  auto far_strings = rich.finish();
  testkit::patch(far_strings, rich.at("strings"), u32le(0xFFFFFFFF));
  auto cut = rich.finish();
  cut.resize(rich.at("data1"));
  const testkit::StoredInput inputs[] = {
      {"pe32plus.bin", rich.finish()},
      {"pe32.bin", assemble(rich_image(false)).finish()},
      {"no_directories.bin", assemble({.directory_count = 0}).finish()},
      {"endless_sections.bin", endless_sections},
      {"far_data.bin", far_data},
      {"far_strings.bin", far_strings},
      {"cut_in_debug_data.bin", cut},
      {"managed.bin", assemble(testkit::managed_image()).finish()},
  };
  testkit::expect_stored("formats/pe/fuzz_corpus/reader_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::pe
