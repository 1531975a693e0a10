#include "formats/go/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/go/build_info.hpp"
#include "formats/go/inline_tree.hpp"
#include "testing/go/image.hpp"
#include "testing/go/walk.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::go {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::assemble;
using testkit::Exact;
using testkit::GoRelease;
using testkit::GoTableSpec;
using testkit::kGoContainers;
using testkit::kGoReleases;
using testkit::small_go_table;

constexpr std::uint64_t kText = 0x401000;

std::string values_text(PcValues values) {
  std::string out;
  for (int i = 0; i < 20 && values.next(); ++i)
    out += (i == 0 ? "" : " ") + std::to_string(values.end()) + ":" + std::to_string(values.value());
  return out;
}

PcValues values_of(const std::vector<std::byte>& bytes, std::uint8_t quantum = 1) { return {bytes, 0, quantum}; }

TEST(GoTable, EveryFormByteOrderAndPointerSize) {
  for (const GoRelease& release : kGoReleases)
    for (const Container container : kGoContainers) {
      SCOPED_TRACE(testing::Message() << release.name << ", " << int{container.pointer_size} * 8 << " bits"
                                      << (container.big_endian ? ", big-endian" : ""));
      const auto bytes = assemble(small_go_table(release, container, kText)).table;
      const auto table = Table::open(bytes, container);
      ASSERT_TRUE(table) << to_string(table.error());
      EXPECT_TRUE(table->check_order());
      EXPECT_EQ(table->form(), release.form);
      ASSERT_EQ(table->size(), 3u);
      const std::uint64_t base = table->has_offsets() ? 0 : kText;
      EXPECT_EQ(table->end_pc(), base + 0x100);
      EXPECT_EQ(table->entry(1).pc, base + 0x40);
      const auto main = table->function(table->entry(0));
      ASSERT_TRUE(main) << to_string(main.error());
      EXPECT_EQ(table->name(main->name), "main.main");
      EXPECT_EQ(values_text(table->values(main->pcln)), "16:5 32:31 40:42 48:6");
      PcValues files = table->values(main->pcfile);
      ASSERT_TRUE(files.next() && files.next());
      EXPECT_EQ(files.end(), 0x28u);
      const auto slot = table->file_slot(*main, files.value());
      ASSERT_TRUE(slot);
      EXPECT_EQ(table->file(*slot), "a/other.go");
      EXPECT_FALSE(table->file_slot(*main, -1));
      EXPECT_FALSE(table->file_slot(*main, 3)) << "there are two";
      EXPECT_EQ(main->funcdata_count, release.has_inlines ? release.inlines.funcdata + 1u : 0u);
      if (release.has_inlines) {
        EXPECT_EQ(values_text(table->values(table->pcdata(*main, release.inlines.pcdata))), "16:-1 24:0 40:1 48:-1");
        EXPECT_TRUE(table->funcdata(*main, release.inlines.funcdata));
        EXPECT_FALSE(table->funcdata(*main, 0)) << "none";
      }
      EXPECT_FALSE(table->funcdata(*main, 9));
      EXPECT_EQ(table->pcdata(*main, 9), 0u);
    }
}

TEST(GoTable, Values) {
  struct Row {
    std::string_view why, bytes, want;
    std::uint8_t quantum = 1;
  };
  using namespace std::string_view_literals;
  const Row rows[] = {
      {"rises and falls from -1", "\x0C\x03\x01\x04\x00"sv, "3:5 7:4"},
      {"times the quantum", "\x0C\x03\x01\x04\x00"sv, "12:5 28:4", 4},
      {"the first change may be none", "\x00\x05\x02\x01\x00"sv, "5:-1 6:0"},
      {"two bytes", "\x80\x01\xAC\x02\x00"sv, "300:63"},
      {"a later step of nothing ends it", "\x02\x03\x02\x00\x02\x03\x00"sv, "3:0"},
      {"cut within a pair", "\x02\x03\x02"sv, "3:0"},
      {"a number of six bytes", "\x02\x03\x80\x80\x80\x80\x80\x01\x01"sv, "3:0"},
      {"nothing", ""sv, ""},
  };
  for (const Row& r : rows) {
    const auto bytes = testkit::Section().text(r.bytes).finish();
    EXPECT_EQ(values_text(values_of(bytes, r.quantum)), r.want) << r.why;
  }
}

TEST(GoTable, WhatIsNoTable) {
  struct Row {
    std::string_view why, want;
    std::size_t at;
    std::uint8_t value;
  };
  const Row rows[] = {
      {"magic", "go.pclntab.magic", 0, 0x7F},           {"padding", "go.pclntab.padding", 5, 1},
      {"quantum", "go.pclntab.quantum", 6, 3},          {"pointers of another size", "go.pclntab.pointer_size", 7, 4},
      {"functions", "go.pclntab.nfunc", 10, 1},         {"no functions", "go.pclntab.nfunc", 8, 0},
      {"parts that fall", "go.pclntab.offsets", 33, 9},
  };
  const Container container;
  const auto whole = assemble(small_go_table(kGoReleases[6], container, kText)).table;
  for (const Row& r : rows) {
    auto bytes = whole;
    bytes[r.at] = std::byte{r.value};
    const auto table = Table::open(bytes, container);
    ASSERT_FALSE(table) << r.why;
    EXPECT_EQ(table.error().field, r.want) << r.why;
  }
}

TEST(GoTable, GarbledTables) {
  GoTableSpec spec = small_go_table(kGoReleases[7], {}, kText);
  spec.magic = 0x12345678;
  spec.hidden_entries = 0xDEADBEEF;
  const auto bytes = assemble(spec).table;
  EXPECT_FALSE(Table::open(bytes, {})) << "unless the section has the name";
  const auto table = Table::open(bytes, {}, true);
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_FALSE(table->known_magic());
  EXPECT_EQ(table->name(table->function(table->entry(1))->name), "main.sum[go.shape.int]");
}

TEST(GoTable, EntriesMustRise) {
  GoTableSpec spec = small_go_table(kGoReleases[6], {}, kText);
  spec.functions[1].pc = 0x90;
  const auto bytes = assemble(spec).table;
  const auto table = Table::open(bytes, {});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->check_order().error().field, "go.pclntab.entry");
}

TEST(GoTable, FoundWithoutASection) {
  for (const GoRelease& release : kGoReleases) {
    const auto table = assemble(small_go_table(release, {}, kText)).table;
    testkit::Section region;
    region.u32(go::kMagics[3]).u32(0x08010000).u64(3).zeros(84);  // a header alone
    const std::size_t at = region.size();
    const auto bytes = region.bytes(table).zeros(64).finish();
    const auto found = find_table(bytes, {}, false);
    ASSERT_TRUE(found) << release.name;
    EXPECT_EQ(found->bytes().data(), bytes.data() + at) << release.name;
    EXPECT_FALSE(find_table(bytes, {8, true}, false)) << "another byte order";
    EXPECT_FALSE(find_table(bytes, {4, false}, false)) << "another size of pointers";
    EXPECT_FALSE(find_table(Bytes(bytes).first(at), {}, true));
  }
}

TEST(GoTable, EveryCutIsBounded) {
  for (const GoRelease& release : kGoReleases)
    for (const Container container : {kGoContainers[0], kGoContainers[3]}) {
      const auto whole = assemble(small_go_table(release, container, kText)).table;
      for (std::size_t n = 0; n < whole.size(); ++n) {
        const Exact cut(Bytes(whole).first(n));
        if (const auto table = Table::open(cut.bytes(), container)) testkit::walk_everything(*table);
      }
    }
}

TEST(GoBuildId, StandsAtTheStartOfTheCode) {
  const auto text = testkit::Section().zeros(16).text("\xFF Go build ID: \"A/B/C/D\"\n \xFF").finish();
  EXPECT_EQ(find_build_id(text), "A/B/C/D");
  EXPECT_EQ(build_id_at(text), 16u);
  EXPECT_EQ(find_build_id(Bytes(text).first(text.size() - 4)), "") << "cut before the quote";
  EXPECT_EQ(build_id_at(Bytes(text).first(20)), kNoBuildId);
}

TEST(GoFuzzCorpus, IsWhatTheAssemblerMakes) {
  std::vector<testkit::StoredInput> inputs;
  for (const GoRelease& release : kGoReleases) {
    const bool big = &release - kGoReleases == 2;
    const Container container{static_cast<std::uint8_t>(big ? 4 : 8), big};
    const auto flags = static_cast<std::uint8_t>(big ? 3 : 0);
    inputs.push_back(
        {release.name,
         testkit::Section().u8(flags).bytes(assemble(small_go_table(release, container, kText)).table).finish()});
  }
  testkit::expect_stored("formats/go/fuzz_corpus/table_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::go
