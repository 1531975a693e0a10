#include "object/elf/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/elf/image.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::ElfImage;
using Type = elf::SectionType;

FileInfo describe(Bytes file) {
  FileInfo info;
  describe_elf(info, file);
  return info;
}

TEST(DescribeElf, TellsIdentityFeaturesAndLinks) {
  const auto bytes = assemble(testkit::rich_elf({}));
  const FileInfo info = describe(bytes);
  EXPECT_EQ(info.arch, model::Arch::x86_64);
  ASSERT_TRUE(info.debug_id);
  EXPECT_EQ(info.debug_id->dashed(), "04030201-0605-0807-090a-0b0c0d0e0f10");
  EXPECT_EQ(info.code_id, "0102030405060708090a0b0c0d0e0f1011121314");
  EXPECT_THAT(info.features, ElementsAre("code", "symbols", "dynamic-symbols"));
  ASSERT_EQ(info.links.size(), 2u);
  EXPECT_EQ(info.links[0].path, "lib.debug");
  EXPECT_EQ(info.links[0].debug_id, info.debug_id->dashed());
  EXPECT_EQ(info.links[1].path, "../common.dwz");
  EXPECT_EQ(info.links[1].debug_id, "33323130-3534-3736-3839-616263646566");
  EXPECT_FALSE(info.error);
}

TEST(DescribeElf, TellsWhatSectionsOffer) {
  const std::vector<std::byte> some(4);
  struct Row {
    std::vector<testkit::ElfSection> sections;
    std::vector<std::string_view> want;
  };
  const Row rows[] = {
      {{}, {}},
      {{{.name = ".debug_info", .data = some}, {.name = ".debug_line", .data = some}}, {"dwarf", "lines"}},
      {{{.name = ".zdebug_info", .data = some}}, {"dwarf", "compressed"}},
      {{{.name = ".debug_info", .flags = elf::kFlagCompressed, .data = some}}, {"dwarf", "compressed"}},
      {{{.name = ".debug_info", .type = Type::nobits, .nobits_size = 9}}, {}},
      {{{.name = ".debug_info.dwo", .data = some}}, {"split"}},
      {{{.name = ".gnu_debugdata", .data = some}, {.name = ".eh_frame", .data = some}}, {"minidebuginfo", "unwind"}},
      {{{.name = ".text", .type = Type::nobits, .flags = elf::kFlagAlloc | elf::kFlagExecInstr, .nobits_size = 9}}, {}},
  };
  for (const Row& r : rows) {
    const auto bytes = assemble(ElfImage{.sections = r.sections});
    EXPECT_EQ(describe(bytes).features, r.want);
  }
  const auto object = assemble(ElfImage{.type = elf::FileType::relocatable});
  EXPECT_THAT(describe(object).features, ElementsAre("relocatable"));
}

TEST(DescribeElf, SaysWhatIsWrong) {
  auto bytes = assemble(testkit::rich_elf({}));
  bytes.resize(bytes.size() - 1);
  const FileInfo info = describe(bytes);
  ASSERT_TRUE(info.error);
  EXPECT_EQ(info.error->field, "elf.e_shoff");
  EXPECT_THAT(info.features, IsEmpty());
}

}  // namespace
}  // namespace symcached::object
