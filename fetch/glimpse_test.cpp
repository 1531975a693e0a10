#include "fetch/glimpse.hpp"

#include <gmock/gmock.h>

#include "fetch/stated_ids.hpp"
#include "testing/elf/image.hpp"
#include "testing/pdb/msf_file.hpp"
#include "testing/pdb/rich_pdb.hpp"

namespace symcached::fetch {
namespace {

using testkit::Section;

std::vector<std::byte> elf_file(std::string_view section, std::size_t size) {
  testkit::ElfBytes note({});
  note.u32(4).u32(20).u32(3).c_string("GNU");
  for (unsigned i = 0; i < 20; ++i) note.u8(static_cast<std::uint8_t>(i + 1));
  testkit::ElfImage image;
  image.sections = {{.name = ".note.gnu.build-id", .type = elf::SectionType::note, .data = note.finish()},
                    {.name = ".text", .data = std::vector<std::byte>(size)},
                    {.name = std::string(section), .data = std::vector<std::byte>(16)}};
  image.segments = {{.type = elf::kSegmentNote, .section = 1}};
  return testkit::assemble(image);
}

std::vector<std::byte> pdb_file(bool scattered) {
  std::vector<std::vector<std::byte>> streams(3000);
  streams[0] = std::vector<std::byte>(5000);
  streams[1] = Section().u32(20000404).u32(1).u32(7).u64(0x0807060504030201).u64(0x100F0E0D0C0B0A09).finish();
  streams[1].resize(3000);
  streams[2] = std::vector<std::byte>(1 << 20);
  return testkit::msf_file(streams, {.scattered = scattered});
}

struct Looked {
  Glimpse glimpse;
  std::size_t asked = 0;
  bool stated_at_once = false;
};

/// Everything but the parts that are asked for is garbage.
Looked look(const std::vector<std::byte>& file, std::uint64_t start) {
  std::vector<std::byte> seen(file.size(), std::byte{0xA5});
  std::vector<FilePart> known;
  const auto learn = [&](const FilePart& part) {
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(part.offset), part.size,
                seen.begin() + static_cast<std::ptrdiff_t>(part.offset));
    known.push_back(part);
  };
  learn({0, std::min<std::uint64_t>(start, file.size())});
  Looked looked{.glimpse = glimpse_of(seen, known)};
  looked.stated_at_once = !looked.glimpse.stated.empty();
  for (; looked.glimpse.more && looked.asked < 5; ++looked.asked) {
    learn(*looked.glimpse.more);
    looked.glimpse = glimpse_of(seen, known);
  }
  return looked;
}

TEST(Glimpse, SaysWhatTheWholeFileSays) {
  using store::Quality;
  struct Row {
    std::string_view why;
    std::vector<std::byte> file;
    std::string_view id;
    std::optional<Quality> offers;
    bool at_once;
    std::size_t most;
  };
  const std::string_view build_id =
      "elf_debug 0102030405060708090a0b0c0d0e0f1011121314 0403020106050807090A0B0C0D0E0F100\n";
  const std::string_view pdb_id = "pdb - 0403020106050807090A0B0C0D0E0F107\n";
  const Row rows[] = {
      {"ELF with debug information", elf_file(".debug_info", 1 << 20), build_id, Quality::lines, true, 1},
      {"ELF with symbols", elf_file(".symtab", 1 << 20), build_id, Quality::symbol_table, true, 1},
      {"ELF with exports", elf_file(".dynsym", 1 << 20), build_id, Quality::public_symbols, true, 1},
      {"stripped ELF", elf_file(".data", 1 << 20), build_id, Quality::none, true, 1},
      {"PDB", pdb_file(false), pdb_id, std::nullopt, true, 0},
      {"Breakpad",
       [] {
         const std::string_view text = "MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F107 a\nFILE 0 a.c\n";
         const Bytes bytes = as_bytes(text);
         return std::vector<std::byte>(bytes.begin(), bytes.end());
       }(),
       "breakpad - 0403020106050807090A0B0C0D0E0F107\n", std::nullopt, true, 0},
  };
  for (const Row& r : rows) {
    const Looked looked = look(r.file, kPart);
    EXPECT_EQ(to_text(looked.glimpse.stated), r.id) << r.why;
    EXPECT_EQ(looked.glimpse.offers, r.offers) << r.why;
    EXPECT_EQ(looked.stated_at_once, r.at_once) << r.why;
    EXPECT_LE(looked.asked, r.most) << r.why;
    EXPECT_EQ(Glimpse::parse(looked.glimpse.text()), looked.glimpse) << r.why;
  }
}

TEST(Glimpse, FindsTheInfoStreamOfAPdbInFewSteps) {
  // The last block of the directory's map, the directory and the stream are where a large file has them: at its end.
  for (const bool scattered : {false, true}) {
    const Looked looked = look(pdb_file(scattered), 1000);
    EXPECT_EQ(to_text(looked.glimpse.stated), "pdb - 0403020106050807090A0B0C0D0E0F107\n") << scattered;
    EXPECT_LE(looked.asked, 3u) << scattered;
  }
  const std::vector<std::byte> rich = testkit::assemble(testkit::rich_pdb());
  const Looked looked = look(rich, 100);
  ASSERT_EQ(looked.glimpse.stated.size(), 1u);
  EXPECT_EQ(looked.glimpse.stated[0].module.debug_id->guid, stated_ids(rich)->at(0).module.debug_id->guid);
}

TEST(Glimpse, WhatIsNotKnownIsNotReliedUpon) {
  const auto elf = elf_file(".debug_info", 1 << 20);
  EXPECT_EQ(glimpse_of(elf, {}), Glimpse());
  const FilePart header[] = {{0, 64}};
  const Glimpse seen = glimpse_of(elf, header);
  EXPECT_TRUE(seen.stated.empty()) << "the note is behind the header";
  EXPECT_FALSE(seen.offers);
  const FilePart elsewhere[] = {{64, 1 << 10}};
  EXPECT_EQ(glimpse_of(elf, elsewhere), Glimpse());
}

TEST(Glimpse, OnlyAnotherIdIsAnObjection) {
  const Guid guid = *Guid::parse("3249D99D0C4049318610F4E4FB0B6936"),
             other = *Guid::parse("3249D99D0C4049318610F4E4FB0B6937");
  const auto pdb = [](const Guid& g, std::uint32_t age) {
    return sources::FileRequest{sources::FileType::pdb, {.debug_id = DebugId{g, age}}};
  };
  EXPECT_EQ(objection({}, pdb(guid, 1)), "");
  EXPECT_EQ(objection({.stated = {pdb(guid, 7)}}, pdb(guid, 1)), "") << "ages differ inside of a file";
  EXPECT_THAT(objection({.stated = {pdb(other, 1)}}, pdb(guid, 1)), ::testing::StartsWith("id is "));
}

TEST(Glimpse, OnlyItsOwnTextIsRead) {
  for (const std::string_view text :
       {"x", "more 1\n", "more 1 0\n", "more 1 65537\n", "more 1 2 3\n", "offers 5\n", "offers\n", "more 1 2"})
    EXPECT_FALSE(Glimpse::parse(text)) << text;
}

}  // namespace
}  // namespace symcached::fetch
