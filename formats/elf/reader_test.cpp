#include "formats/elf/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/elf/image.hpp"
#include "testing/elf/walk.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::elf {
namespace {

using testkit::assemble;
using testkit::ElfBytes;
using testkit::ElfImage;
using testkit::ElfSection;
using testkit::Exact;
using testkit::kElfLayouts;
using testkit::rich_elf;

std::string words(Layout layout) {
  return std::string(layout.is_64bit ? "64" : "32") + (layout.big_endian ? " big" : " little");
}

TEST(ElfFile, ReadsBothWidthsAndByteOrders) {
  for (const Layout layout : kElfLayouts)
    for (const bool extended : {false, true}) {
      ElfImage image = rich_elf(layout);
      image.numbers_extended = extended;
      const auto bytes = assemble(image);
      const auto file = File::open(bytes);
      ASSERT_TRUE(file) << words(layout) << ": " << to_string(file.error());
      EXPECT_EQ(file->machine(), Machine::x86_64);
      EXPECT_EQ(file->type(), FileType::shared);
      EXPECT_EQ(file->header().entry, 0x1000u);
      ASSERT_EQ(file->sections().size(), image.sections.size() + 2) << words(layout);
      for (std::size_t i = 0; i < image.sections.size(); ++i) {
        const Section& section = file->sections()[i + 1];
        EXPECT_EQ(section.name, image.sections[i].name);
        EXPECT_EQ(section.type, image.sections[i].type);
        EXPECT_EQ(section.address, image.sections[i].address);
        const auto data = file->contents(section);
        ASSERT_TRUE(data);
        EXPECT_EQ(as_text(*data), as_text(image.sections[i].data)) << section.name;
      }
      ASSERT_EQ(file->segments().size(), 3u);
      EXPECT_EQ(file->segments()[1].address, 0x401000u);
      EXPECT_EQ(file->segments()[1].flags, 5u);
      EXPECT_EQ(file->image_base(), 0x400000u);
      ASSERT_EQ(file->code_ranges().size(), 1u);
      EXPECT_EQ(file->code_ranges()[0].start, 0x1000u);
      EXPECT_EQ(file->code_ranges()[0].end, 0x1020u);
    }
}

TEST(ElfFile, FindsIdentityAndLinks) {
  for (const Layout layout : kElfLayouts) {
    const auto bytes = assemble(rich_elf(layout));
    const auto file = File::open(bytes);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->code_id(), "0102030405060708090a0b0c0d0e0f1011121314");
    ASSERT_TRUE(file->debug_id());
    EXPECT_EQ(file->debug_id()->dashed(),
              layout.big_endian ? "01020304-0506-0708-090a-0b0c0d0e0f10" : "04030201-0605-0807-090a-0b0c0d0e0f10");
    ASSERT_TRUE(file->debug_link());
    EXPECT_EQ(file->debug_link()->file, "lib.debug");
    EXPECT_EQ(file->debug_link()->crc32, 0xCAFE1234u);
    ASSERT_TRUE(file->alt_link());
    EXPECT_EQ(file->alt_link()->file, "../common.dwz");
    EXPECT_EQ(as_text(file->alt_link()->build_id), "0123456789abcdefghij");
  }
}

TEST(ElfFile, BuildIdInNotes) {
  struct Row {
    std::string_view why;
    std::vector<std::byte> notes;
    std::uint64_t alignment;
    std::string_view want;
  };
  const Layout layout{};
  const auto note = [&](std::string_view owner, std::uint32_t type, std::string_view data, std::size_t alignment = 4) {
    return testkit::elf_note(layout, owner, type, as_bytes(data), alignment);
  };
  const auto joined = [](std::vector<std::byte> a, const std::vector<std::byte>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  std::vector<std::byte> cut = note("GNU", 3, "abcdefgh");
  cut.resize(cut.size() - 1);
  const Row rows[] = {
      {"short id", note("GNU", 3, "abc"), 4, "616263"},
      {"behind another", joined(note("GNU", 1, "0123"), note("GNU", 3, "ab")), 4, "6162"},
      {"padded to eight", joined(note("GNU", 5, "12345", 8), note("GNU", 3, "ab", 8)), 8, "6162"},
      {"other owner", note("Go", 3, "abc"), 4, ""},
      {"other type", note("GNU", 4, "abc"), 4, ""},
      {"empty", note("GNU", 3, ""), 4, ""},
      {"cut", cut, 4, ""},
      {"no data", {cut.begin(), cut.begin() + 16}, 4, ""},
  };
  for (const Row& r : rows)
    for (const bool by_segment : {false, true}) {
      ElfImage image{.layout = layout};
      image.sections = {{.name = ".note",
                         .type = by_segment ? SectionType::progbits : SectionType::note,
                         .data = r.notes,
                         .alignment = r.alignment}};
      if (by_segment) image.segments = {{.type = kSegmentNote, .section = 1, .alignment = r.alignment}};
      const auto bytes = assemble(image);
      const auto file = File::open(bytes);
      ASSERT_TRUE(file);
      EXPECT_EQ(file->code_id(), r.want) << r.why << (by_segment ? ", in a segment" : "");
    }
}

TEST(ElfFile, WithoutBuildIdTheTextIsFolded) {
  std::vector<std::byte> text(5000);
  text[0] = std::byte{1}, text[16] = std::byte{2}, text[4095] = std::byte{0x70}, text[4096] = std::byte{0xFF};
  ElfImage image;
  image.sections = {{.name = ".text", .flags = kFlagAlloc | kFlagExecInstr, .data = text}};
  const auto bytes = assemble(image);
  const auto file = File::open(bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->code_id(), "");
  ASSERT_TRUE(file->debug_id());
  EXPECT_EQ(file->debug_id()->dashed(), "00000003-0000-0000-0000-000000000070");

  image.sections[0] = {.name = ".text", .type = SectionType::nobits, .nobits_size = 5000};
  const auto stripped = assemble(image);
  EXPECT_FALSE(File::open(stripped)->debug_id());
}

TEST(ElfFile, ImageBaseIsTheLowestLoadedSegment) {
  ElfImage image;
  image.segments = {{.type = 6, .address = 0x40},
                    {.address = 0x7000, .memory_size = 1},
                    {.address = 0x200000, .memory_size = 1},
                    {.address = 0x5040, .memory_size = 1}};
  const auto bytes = assemble(image);
  EXPECT_EQ(File::open(bytes)->image_base(), 0x5040u);
  image.type = FileType::relocatable;
  const auto object = assemble(image);
  EXPECT_EQ(File::open(object)->image_base(), 0u);
}

TEST(ElfFile, WithoutSectionsSegmentsSayWhereCodeIs) {
  ElfImage image;
  image.segments = {{.flags = 4, .address = 0x1000, .memory_size = 0x100},
                    {.flags = 5, .address = 0x2000, .memory_size = 0x80},
                    {.flags = 5, .address = ~std::uint64_t{0} - 8, .memory_size = 0x80}};
  const auto bytes = assemble(image);
  const auto ranges = File::open(bytes)->code_ranges();
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].start, 0x2000u);
  EXPECT_EQ(ranges[0].end, 0x2080u);
  EXPECT_EQ(ranges[1].end, ~std::uint64_t{0}) << "does not wrap around";
}

TEST(ElfFile, CodeOfObjectFilesIsPlaced) {
  const auto code = [](std::string name, std::size_t size, std::uint64_t alignment) {
    return ElfSection{.name = std::move(name),
                      .flags = kFlagAlloc | kFlagExecInstr,
                      .address = 0x77,
                      .data = std::vector<std::byte>(size),
                      .alignment = alignment};
  };
  ElfImage image{.type = FileType::relocatable};
  image.sections = {code(".text", 10, 16), {.name = ".data", .flags = kFlagAlloc},
                    code(".text.b", 0, 1), code(".text.c", 3, 16),
                    code(".text.d", 3, 3), code(".text.e", 3, std::uint64_t{1} << 63)};
  const auto bytes = assemble(image);
  const auto file = File::open(bytes);
  ASSERT_TRUE(file);
  std::vector<std::uint64_t> starts;
  for (const AddressRange& range : file->code_ranges()) starts.push_back(range.start);
  EXPECT_THAT(starts, testing::ElementsAre(0, 16, 19, 0x200000));
}

TEST(ElfFile, SaysHowSectionsArePacked) {
  for (const Layout layout : kElfLayouts) {
    ElfBytes zlib(layout), zstd(layout), strange(layout);
    const auto head = [&](ElfBytes& out, std::uint32_t method) {
      out.u32(method);
      if (layout.is_64bit) out.u32(0);
      out.word(777).word(1).text("stream");
    };
    head(zlib, 1), head(zstd, 2), head(strange, 3);
    ElfImage image{.layout = layout};
    image.sections = {
        {.name = ".debug_info", .flags = kFlagCompressed, .data = zlib.finish()},
        {.name = ".debug_line", .flags = kFlagCompressed, .data = zstd.finish()},
        {.name = ".debug_str", .flags = kFlagCompressed, .data = strange.finish()},
        {.name = ".debug_addr", .flags = kFlagCompressed, .data = std::vector<std::byte>(8)},
        {.name = ".zdebug_abbrev", .data = testkit::Section().text("ZLIB").u64_big(99).text("old").finish()},
        {.name = ".zdebug_ranges", .data = testkit::Section().text("plain").finish()},
        {.name = ".debug_types", .type = SectionType::nobits, .flags = kFlagCompressed, .nobits_size = 1000},
    };
    const auto bytes = assemble(image);
    const auto file = File::open(bytes);
    ASSERT_TRUE(file);
    const auto packing = [&](std::size_t i) { return file->packing(file->sections()[i]); };
    EXPECT_EQ(packing(1)->method, Compression::zlib);
    EXPECT_EQ(packing(1)->size, 777u);
    EXPECT_EQ(as_text(packing(1)->data), "stream");
    EXPECT_EQ(packing(2)->method, Compression::zstd);
    EXPECT_FALSE(packing(3)) << "a method nobody knows";
    EXPECT_FALSE(packing(4)) << "no room for the header";
    EXPECT_EQ(packing(5)->method, Compression::zlib);
    EXPECT_EQ(packing(5)->size, 99u);
    EXPECT_EQ(as_text(packing(5)->data), "old");
    EXPECT_EQ(packing(6)->method, Compression::none);
    EXPECT_EQ(as_text(packing(6)->data), "plain");
    EXPECT_EQ(packing(7)->data.size(), 0u);
  }
}

TEST(ElfFile, RefusesWhatCannotBe) {
  const auto whole = assemble(rich_elf({}));
  struct Row {
    std::string_view field;
    std::size_t at;
    std::vector<std::uint8_t> bytes;
  };
  const Row rows[] = {
      {"elf.e_ident.magic", 1, {'e'}},
      {"elf.e_ident.class", 4, {3}},
      {"elf.e_ident.data", 5, {0}},
      {"elf.e_shoff", 40, {0, 0, 0, 0, 0, 0, 0, 0x80}},
      {"elf.e_shoff", 58, {63}},
      {"elf.e_shoff", 60, {0xFF, 0xFE}},
      {"elf.e_phoff", 32, {0, 0, 0, 0, 0, 0, 0, 0x80}},
      {"elf.e_phoff", 54, {55}},
      {"elf.e_phoff", 56, {0xFF, 0xF0}},
  };
  for (const Row& r : rows) {
    auto bytes = whole;
    for (std::size_t i = 0; i < r.bytes.size(); ++i) bytes[r.at + i] = static_cast<std::byte>(r.bytes[i]);
    const auto file = File::open(Exact(bytes).bytes());
    ASSERT_FALSE(file) << r.field << " at " << r.at;
    EXPECT_EQ(file.error().field, r.field);
  }
}

TEST(ElfFile, EveryCutIsRefused) {
  for (const Layout layout : kElfLayouts) {
    const auto whole = assemble(rich_elf(layout));
    for (std::size_t n = 0; n < whole.size(); ++n)
      EXPECT_FALSE(File::open(Exact(Bytes(whole).first(n)).bytes())) << n << " of " << words(layout);
  }
}

/// Whatever one byte becomes, everything that can still be asked for lies inside the file (for ASan to see).
TEST(ElfFile, EveryByteMayBeWrong) {
  for (const Layout layout : kElfLayouts) {
    const auto whole = assemble(rich_elf(layout));
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (const int change : {0x01, 0x80, 0xFF}) {
        Exact bytes(whole);
        bytes.owned[i] ^= static_cast<std::byte>(change);
        if (const auto file = File::open(bytes.bytes())) testkit::walk_everything(*file);
      }
  }
}

TEST(ElfFuzzCorpus, IsWhatTheAssemblerMakes) {
  ElfImage extended = rich_elf({});
  extended.numbers_extended = true;
  ElfImage object = rich_elf({});
  object.type = FileType::relocatable;
  object.sections.push_back({.name = ".rela.text",
                             .type = SectionType::rela,
                             .data = testkit::elf_relocation({}, 4, 1, 1, -4),
                             .link = 5,
                             .info = 1});
  const testkit::StoredInput inputs[] = {
      {"64_little.bin", assemble(rich_elf({true, false}))},
      {"64_big.bin", assemble(rich_elf({true, true}))},
      {"32_little.bin", assemble(rich_elf({false, false}))},
      {"32_big.bin", assemble(rich_elf({false, true}))},
      {"extended.bin", assemble(extended)},
      {"object.bin", assemble(object)},
  };
  testkit::expect_stored("formats/elf/fuzz_corpus/reader_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::elf
