#include "formats/pdb/pdb.hpp"

#include <gtest/gtest.h>

#include "testing/pdb/rich_pdb.hpp"
#include "testing/pdb/walk.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::pdb {
namespace {

using testkit::assemble;
using testkit::Exact;
using testkit::PdbImage;
using testkit::PdbStreams;

TEST(PdbFile, SaysWhatItIs) {
  const auto bytes = assemble(testkit::rich_pdb());
  const auto file = File::open(bytes);
  ASSERT_TRUE(file) << to_string(file.error());
  EXPECT_EQ(file->debug_id().guid.hex_upper(), "0403020106050807090A0B0C0D0E0F10");
  EXPECT_EQ(file->debug_id().age, 3u) << "the DBI stream's age is the one that executables name";
  EXPECT_EQ(file->info_age(), 2u);
  EXPECT_EQ(file->machine(), 0x8664);
  EXPECT_FALSE(file->is_stripped());
  ASSERT_EQ(file->modules().size(), 5u);
  EXPECT_EQ(file->modules()[0].name, "a.obj");
  EXPECT_EQ(file->modules()[0].object_file, "a.obj.lib");
  EXPECT_TRUE(file->msf().has_stream(file->modules()[0].stream));
  EXPECT_EQ(file->modules()[4].stream, kNoStream);
  EXPECT_TRUE(file->msf().has_stream(file->symbol_records()));
}

TEST(PdbFile, WithoutDbiOrNames) {
  const auto bytes = assemble({.info_age = 9, .has_dbi = false, .has_names = false});
  const auto file = File::open(bytes);
  ASSERT_TRUE(file) << to_string(file.error());
  EXPECT_EQ(file->debug_id().age, 9u);
  EXPECT_EQ(file->machine(), 0);
  EXPECT_EQ(file->symbol_records(), kNoStream);
  EXPECT_EQ(file->name_at(0), "");
  EXPECT_TRUE(file->modules().empty());
}

TEST(PdbFile, NamesStartWhereNamesStart) {
  struct Row {
    std::uint32_t offset;
    std::string_view want;
  };
  const Row rows[] = {{0, ""}, {1, "a.cpp"}, {2, ""}, {6, ""}, {7, "a.h"}, {11, ""}, {0xFFFFFFFF, ""}};
  const auto bytes = assemble({.names = {"a.cpp", "a.h"}});
  const auto file = File::open(bytes);
  ASSERT_TRUE(file);
  for (const Row& r : rows) EXPECT_EQ(file->name_at(r.offset), r.want) << r.offset;
}

TEST(PdbFile, StreamsHaveNames) {
  const auto text_of = [](std::string_view text) { return testkit::Section().text(text).finish(); };
  const std::string long_name(kMaxStreamName, 'n');
  const auto bytes = assemble({.names = {"a.cpp"},
                               .named_streams = {{"srcsrv", text_of("here")},
                                                 {long_name + "n", text_of("left out")},
                                                 {long_name, text_of("the longest")},
                                                 {"sourcelink$1", {}}}});
  const auto file = File::open(bytes);
  ASSERT_TRUE(file) << to_string(file.error());
  EXPECT_EQ(file->name_at(1), "a.cpp");
  std::string found;
  std::vector<std::byte> scratch;
  for (const NamedStream& named : file->named_streams())
    if (named.name != "/names")
      found.append(named.name).append("=").append(as_text(*file->msf().stream(named.stream, scratch, "x"))).append(" ");
  EXPECT_EQ(found, "srcsrv=here " + long_name + "=the longest sourcelink$1= ");
}

TEST(PdbFile, ContributionsOfBothVersions) {
  struct Row {
    SectionOffset at;
    int module;
  };
  const Row rows[] = {{{1, 0}, 2},  {{1, 0xF}, 2}, {{1, 0x10}, -1}, {{1, 0x20}, 0}, {{1, 0x5F}, 0}, {{1, 0x60}, -1},
                      {{2, 0}, -1}, {{2, 8}, 1},   {{2, 0x18}, -1}, {{0, 0}, -1},   {{3, 0}, -1}};
  for (const bool v2 : {false, true}) {
    PdbImage image{.contributions_v2 = v2};
    image.contributions = {{{2, 8}, 0x10, 1}, {{1, 0x20}, 0x40, 0}, {{1, 0}, 0x10, 2}, {{1, 0x18}, 0, 7}};
    const auto bytes = assemble(image);
    const auto file = File::open(bytes);
    ASSERT_TRUE(file) << to_string(file.error());
    EXPECT_EQ(file->contributions().size(), 3u) << "an empty one holds nothing";
    for (const Row& r : rows) {
      const Contribution* found = file->contribution_at(r.at);
      EXPECT_EQ(found != nullptr ? static_cast<int>(found->module) : -1, r.module)
          << r.at.segment << ":" << r.at.offset;
    }
  }
}

TEST(PdbFile, AddressesAndOmap) {
  PdbImage image;
  image.sections = {{0x9000, 0x100}};
  image.original_sections = {{0x1000, 0x100}, {0xFFFFFFF0, 0x100}};
  image.omap = {{u32le(0x1000), u32le(0x9000)}, {u32le(0x1010), u32le(0)}};
  const auto moved_bytes = assemble(image);
  const auto moved = File::open(moved_bytes);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->omap_from_source().size(), 2u);
  EXPECT_EQ(moved->rva_of({1, 5}), 0x1005u) << "where a map is, addresses are those of the original sections";
  EXPECT_EQ(moved->rva_of({2, 0xF}), 0xFFFFFFFFu);
  EXPECT_EQ(moved->rva_of({2, 0x10}), std::nullopt);
  EXPECT_EQ(moved->rva_of({0, 0}), std::nullopt);
  EXPECT_EQ(moved->rva_of({3, 0}), std::nullopt);
  image.omap.clear();
  const auto plain_bytes = assemble(image);
  EXPECT_EQ(File::open(plain_bytes)->rva_of({1, 5}), 0x9005u);
}

TEST(PdbFile, NamesTheFieldThatIsWrong) {
  struct Row {
    std::string_view why;
    std::size_t stream, at;
    std::uint32_t value;
    std::string_view want;
  };
  const std::size_t modules = 64, contributions = modules + 2 * (64 + 16);
  const Row rows[] = {
      {"names in no stream", 1, 28 + 4 + 7 + 20 + 4, 99, "pdb.names"},
      {"names' text without end", 1, 28, 0xFFFFFFFF, "pdb.named_streams.text"},
      {"more entries than bits", 1, 28 + 4 + 7, 2, "pdb.named_streams.count"},
      {"a key outside of the text", 1, 28 + 4 + 7 + 20, 7, "pdb.named_streams.key"},
      {"endless bits", 1, 28 + 4 + 7 + 8, 0x40000000, "pdb.named_streams.present"},
      {"endless deleted bits", 1, 28 + 4 + 7 + 16, 0xFFFFFFFF, "pdb.named_streams.deleted"},
      {"not a table of names", 5, 0, 1, "pdb.names.magic"},
      {"names past the stream", 5, 8, 1000, "pdb.names.text"},
      {"DBI without its mark", 3, 0, 0, "pdb.dbi.signature"},
      {"an old DBI", 3, 4, 19970606, "pdb.dbi.version"},
      {"modules past the stream", 3, 24, 0x7FFFFFFF, "pdb.dbi.modules"},
      {"contributions past the stream", 3, 28, 0x7FFFFFFF, "pdb.dbi.contributions"},
      {"section map past the stream", 3, 32, 0x7FFFFFFF, "pdb.dbi.section_map"},
      {"source files past the stream", 3, 36, 0x7FFFFFFF, "pdb.dbi.source_info"},
      {"type servers past the stream", 3, 40, 0x7FFFFFFF, "pdb.dbi.type_servers"},
      {"debug header past the stream", 3, 48, 0x7FFFFFFF, "pdb.dbi.debug_header"},
      {"edit and continue past the stream", 3, 52, 0x7FFFFFFF, "pdb.dbi.edit_continue"},
      {"a module cut short", 3, 24, 60, "pdb.dbi.module"},
      {"a module name without end", 3, 24, 66, "pdb.dbi.module.name"},
      {"two modules with one stream", 3, modules + 80 + 32, 0x00090000, "pdb.dbi.module.stream"},
      {"contributions of an unknown version", 3, contributions, 1, "pdb.dbi.contributions.version"},
      {"a map that does not rise", 7, 8, 0, "pdb.omap_from_source"},
  };
  PdbImage image{.names = {"a"}, .omap = {{u32le(1), u32le(1)}, {u32le(2), u32le(1)}}};
  image.modules = {{"a.obj", {}, {}}, {"b.obj", {}, {}}};
  const auto whole = PdbStreams(image).all;
  const auto error_of = [](const std::vector<std::vector<std::byte>>& streams) {
    const auto bytes = testkit::msf_file(streams);
    const auto file = File::open(bytes);
    return file ? std::string() : std::string(file.error().field);
  };
  ASSERT_EQ(error_of(whole), "");
  for (const Row& r : rows) {
    auto streams = whole;
    if (r.want == "pdb.omap_from_source") r.value == 0 ? testkit::patch(streams[9], 8, u32le(0)) : void();
    else if (r.want == "pdb.dbi.module.stream") testkit::patch(streams[3], r.at + 2, u16le(7));
    else testkit::patch(streams[r.stream], r.at, u32le(r.value));
    EXPECT_EQ(error_of(streams), r.want) << r.why;
  }
}

TEST(PdbFile, EveryCutAndEveryFlippedBitOfItsStreams) {
  const auto whole = assemble(testkit::rich_pdb());
  for (std::size_t n = 0; n < whole.size(); n += 3) {
    const Exact cut(Bytes(whole).first(n));
    if (const auto file = File::open(cut.bytes())) testkit::PdbWalk(*file).total();
  }
  for (const bool scattered : {false, true}) {
    Exact flipped(assemble(testkit::rich_pdb(), {.scattered = scattered}));
    for (std::size_t bit = 0; bit < flipped.size * 8; ++bit) {
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      if (const auto file = File::open(flipped.bytes())) testkit::PdbWalk(*file).total();
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    }
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(PdbFuzzCorpus, Files) {
  auto cut = assemble(testkit::rich_pdb());
  cut.resize(cut.size() - 1024);
  const testkit::StoredInput inputs[] = {
      {"rich.pdb", assemble(testkit::rich_pdb())},
      {"scattered.pdb", assemble(testkit::rich_pdb(), {.scattered = true})},
      {"no_dbi.pdb", assemble({.has_dbi = false})},
      {"cut.pdb", cut},
  };
  testkit::expect_stored("formats/pdb/fuzz_corpus/pdb_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::pdb
