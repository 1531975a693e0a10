#include "formats/elf/symbols.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/elf/image.hpp"

namespace symcached::elf {
namespace {

using testkit::assemble;
using testkit::ElfImage;
using testkit::kElfLayouts;

TEST(ElfSymbols, ReadsBothWidthsAndByteOrders) {
  for (const Layout layout : kElfLayouts) {
    const auto bytes = assemble(testkit::rich_elf(layout));
    const auto file = File::open(bytes);
    ASSERT_TRUE(file);
    const auto table = SymbolTable::open(*file, *file->section(".symtab"));
    ASSERT_TRUE(table);
    ASSERT_EQ(table->size(), 9u);
    const Symbol one = (*table)[1];
    EXPECT_EQ(one.name, "static_one");
    EXPECT_EQ(one.value, 0x1000u);
    EXPECT_EQ(one.size, 8u);
    EXPECT_EQ(one.section, 1u);
    EXPECT_EQ(one.type, SymbolType::func);
    EXPECT_EQ(one.binding, SymbolBinding::local);
    EXPECT_EQ((*table)[4].type, SymbolType::ifunc);
    EXPECT_EQ((*table)[4].binding, SymbolBinding::weak);
    EXPECT_EQ((*table)[7].section, kNoSection) << "absolute";
    EXPECT_EQ((*table)[8].name, "");
  }
}

TEST(ElfSymbols, SectionNumbersMayStandElsewhere) {
  for (const Layout layout : kElfLayouts) {
    const auto symbols =
        testkit::symbol_table(layout, {{"far", 0x10, 0, kIndexExtended}, {"lost", 0, 0, kIndexExtended}});
    ElfImage image{.layout = layout};
    image.sections = {{.name = ".symtab", .type = SectionType::symtab, .data = symbols.records, .link = 2},
                      {.name = ".strtab", .type = SectionType::strtab, .data = symbols.strings},
                      {.name = ".symtab_shndx",
                       .type = SectionType::symtab_shndx,
                       .data = testkit::ElfBytes(layout).u32(0).u32(0x12345).finish(),
                       .link = 1}};
    const auto bytes = assemble(image);
    const auto file = File::open(bytes);
    const auto table = SymbolTable::open(*file, *file->section(SectionType::symtab));
    ASSERT_TRUE(table);
    EXPECT_EQ((*table)[1].section, 0x12345u);
    EXPECT_EQ((*table)[2].section, kNoSection) << "the list is too short";
  }
}

TEST(ElfSymbols, NamesOutsideTheStringsAreEmpty) {
  ElfImage image = testkit::rich_elf({});
  image.sections[5].data.resize(8);  // "\0static_" and no NUL
  const auto bytes = assemble(image);
  const auto file = File::open(bytes);
  const auto table = SymbolTable::open(*file, *file->section(".symtab"));
  ASSERT_TRUE(table);
  ASSERT_GT(table->size(), 1u);
  for (std::size_t i = 0; i < table->size(); ++i) EXPECT_EQ((*table)[i].name, "");
  image.sections[4].link = 99;
  const auto unlinked = assemble(image);
  const auto other = File::open(unlinked);
  EXPECT_FALSE(SymbolTable::open(*other, *other->section(".symtab")));
}

TEST(ElfSymbols, VersionsAreCut) {
  struct Row {
    std::string_view name, want;
  };
  const Row rows[] = {{"puts", "puts"}, {"puts@GLIBC_2.2.5", "puts"}, {"puts@@GLIBC_2.2.5", "puts"}, {"", ""},
                      {"@odd", "@odd"}, {"?f@@YAXXZ", "?f@@YAXXZ"}};
  for (const Row& r : rows) EXPECT_EQ(without_version(r.name), r.want);
}

TEST(ElfSymbols, TellsNamesOfCode) {
  struct Row {
    std::string_view name;
    SymbolType type;
    Machine machine;
    bool in_code, want;
  };
  using enum SymbolType;
  using enum Machine;
  const Row rows[] = {
      {"f", func, x86_64, true, true},
      {"f", func, x86_64, false, false},
      {"f", ifunc, x86_64, true, true},
      {"f", notype, x86_64, true, true},
      {"f", object, x86_64, true, false},
      {"f", tls, x86_64, true, false},
      {".text", section, arm, true, false},
      {"a.c", file, arm, true, false},
      {".L5", notype, arm, true, false},
      {"$a", notype, arm, true, false},
      {"$t.7", notype, arm, true, false},
      {"$d", notype, aarch64, true, false},
      {"$x", notype, aarch64, true, false},
      {"$xyz", notype, arm, true, true},
      {"$a", func, arm, true, true},
      {"$b", notype, arm, true, true},
      {"$x", notype, x86_64, true, true},
      {"$", notype, arm, true, true},
      {"$xrv64i2p1", notype, riscv, true, false},
      {"", func, x86_64, true, false},
  };
  for (const Row& r : rows) {
    const Symbol symbol{.name = r.name, .section = 1, .type = r.type};
    EXPECT_EQ(names_code(symbol, r.machine, r.in_code), r.want) << r.name << " " << static_cast<int>(r.type);
  }
  EXPECT_FALSE(names_code({.name = "f", .section = kIndexUndef, .type = func}, x86_64, true));
  EXPECT_FALSE(names_code({.name = "f", .section = kNoSection, .type = func}, x86_64, true));
}

TEST(ElfRelocations, ReadsBothWidthsAndByteOrders) {
  for (const Layout layout : kElfLayouts) {
    ElfImage image{.layout = layout, .type = FileType::relocatable};
    image.sections = {
        {.name = ".rela.x", .type = SectionType::rela, .data = testkit::elf_relocation(layout, 0x44, 7, 10, -3)},
        {.name = ".rel.x", .type = SectionType::rel, .data = testkit::elf_relocation(layout, 0x44, 7, 10, -3)}};
    const auto bytes = assemble(image);
    const auto file = File::open(bytes);
    const auto rela = RelocationTable::open(*file, file->sections()[1]);
    const auto rel = RelocationTable::open(*file, file->sections()[2]);
    ASSERT_TRUE(rela && rel);
    ASSERT_EQ(rela->size(), 1u);
    for (const RelocationTable& table : {*rela, *rel}) {
      EXPECT_EQ(table[0].offset, 0x44u);
      EXPECT_EQ(table[0].symbol, 7u);
      EXPECT_EQ(table[0].type, 10u);
      EXPECT_EQ(table[0].addend, table.has_addends() ? -3 : 0);
    }
  }
}

}  // namespace
}  // namespace symcached::elf
