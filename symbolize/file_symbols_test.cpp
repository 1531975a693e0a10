#include "symbolize/file_symbols.hpp"

#include <gtest/gtest.h>

#include "testing/elf/image.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::symbolize {
namespace {

using elf::SymbolBinding;
using elf::SymbolType;

/// Code at 0x1000 to 0x1100, data at 0x2000 to 0x2040.
std::vector<std::byte> program_with_symbols(elf::Layout layout, elf::FileType type = elf::FileType::executable) {
  const auto table =
      testkit::symbol_table(layout, {{"one.c", 0, 0, 0xFFF1, SymbolType::file, SymbolBinding::local},
                                     {"helper", 0x1000, 0x10, 1, SymbolType::func, SymbolBinding::local},
                                     {"two.c", 0, 0, 0xFFF1, SymbolType::file, SymbolBinding::local},
                                     {"alias", 0x1020, 0x8, 1},
                                     {"whole", 0x1020, 0x20, 1},
                                     {"label", 0x1020, 0, 1, SymbolType::notype},
                                     {"table", 0x2000, 0x10, 2, SymbolType::object},
                                     {"end", 0x2010, 0, 2, SymbolType::notype},
                                     {"missing", 0x1000, 0, 0},
                                     {"section", 0x1000, 0, 1, SymbolType::section, SymbolBinding::local}});
  testkit::ElfImage image{.layout = layout, .type = type};
  image.sections = {
      {.name = ".text",
       .flags = elf::kFlagAlloc | elf::kFlagExecInstr,
       .address = 0x1000,
       .data = std::vector<std::byte>(0x100)},
      {.name = ".data", .flags = elf::kFlagAlloc, .address = 0x2000, .data = std::vector<std::byte>(0x40)},
      {.name = ".symtab", .type = elf::SectionType::symtab, .data = table.records, .link = 4},
      {.name = ".strtab", .type = elf::SectionType::strtab, .data = table.strings}};
  return assemble(image);
}

std::string text_of(const std::optional<FileSymbol>& symbol) {
  if (!symbol) return "none";
  return std::string(symbol->name) + (symbol->source.empty() ? "" : " " + std::string(symbol->source));
}

TEST(FileSymbols, AreChosenAsLlvmAndGnuChoose) {
  for (const elf::Layout layout : testkit::kElfLayouts) {
    const auto bytes = program_with_symbols(layout);
    FileSymbols symbols = FileSymbols::open(bytes);
    EXPECT_TRUE(symbols.is_elf());
    EXPECT_EQ(symbols.is_narrow(), !layout.is_64bit);
    struct Row {
      std::uint64_t address;
      std::string_view at, before;
    };
    for (const Row& r : std::initializer_list<Row>{{0xFFF, "none", "none"},
                                                   {0x1000, "helper one.c", "helper one.c"},
                                                   {0x1018, "none", "helper one.c"},
                                                   {0x1020, "whole", "alias"},
                                                   {0x1030, "whole", "whole"},
                                                   {0x1080, "none", "whole"},
                                                   {0x2000, "table", "none"},
                                                   {0x2030, "end", "end"},
                                                   {0x5000, "end", "none"}}) {
      EXPECT_EQ(text_of(symbols.at(r.address)), r.at) << r.address;
      EXPECT_EQ(text_of(symbols.before(r.address)), r.before) << r.address;
    }
    EXPECT_EQ(symbols.named("whole").size(), 1u);
    EXPECT_EQ(symbols.named("missing").size(), 0u);
    EXPECT_EQ(symbols.section(".data")->start, 0x2000u);
    EXPECT_FALSE(symbols.section(".bss"));
  }
}

std::vector<std::byte> code_with(const std::vector<testkit::ElfSymbol>& symbols) {
  const auto table = testkit::symbol_table({}, symbols);
  testkit::ElfImage image;
  image.sections = {{.name = ".text",
                     .flags = elf::kFlagAlloc | elf::kFlagExecInstr,
                     .address = 0x1000,
                     .data = std::vector<std::byte>(0x100)},
                    {.name = ".symtab", .type = elf::SectionType::symtab, .data = table.records, .link = 3},
                    {.name = ".strtab", .type = elf::SectionType::strtab, .data = table.strings}};
  return assemble(image);
}

TEST(FileSymbols, BeforeAnAddressOfOnePlaceTheSmallestThatReachesIt) {
  constexpr auto kLabel = SymbolType::notype;
  const testkit::ElfSymbol small{"small", 0x1010, 4}, twin{"twin", 0x1010, 4}, large{"large", 0x1010, 32},
      label{"label", 0x1010, 2, 1, kLabel}, room{"room", 0x1010, 64, 1, kLabel}, none{"none", 0x1010, 0};
  struct Row {
    std::string_view why;
    std::vector<testkit::ElfSymbol> symbols;
    std::uint64_t distance;
    std::string_view want;
  };
  for (const Row& r : std::initializer_list<Row>{
           {"the smallest", {large, small}, 3, "small"},
           {"that reaches it", {small, large}, 4, "large"},
           {"of two the first", {twin, small}, 0, "twin"},
           {"without a size it has one byte", {small, none}, 0, "none"},
           {"functions before labels", {label, large}, 1, "large"},
           {"labels that reach it before functions that do not", {small, large, room}, 32, "room"},
           {"where none does, the largest", {small, room, large}, 64, "room"},
           {"the first of the largest", {label, twin, small}, 4, "twin"},
           {"functions or labels", {{"mark", 0x1010, 4, 1, kLabel}, small}, 4, "mark"},
           {"the nearest place", {{"before", 0x1000, 256}, small}, 128, "small"},
           {"data is no code", {{"table", 0x1010, 8, 1, SymbolType::object}, {"before", 0x1000, 4}}, 0, "before"},
       }) {
    const auto bytes = code_with(r.symbols);
    FileSymbols symbols = FileSymbols::open(bytes);
    for (int question = 0; question < 8; ++question)  // later ones are answered from a sorted table
      EXPECT_EQ(text_of(symbols.before(0x1010 + r.distance)), r.want) << r.why << ", question " << question;
  }
}

TEST(FileSymbols, OfOtherFilesThereAreNone) {
  FileSymbols none = FileSymbols::open(as_bytes(std::string_view("MZ")));
  EXPECT_FALSE(none.is_elf() || none.at(0) || none.before(0) || none.section(".text"));
  EXPECT_TRUE(none.named("main").empty());
}

TEST(FileSymbolsFuzzCorpus, IsWhatTheTestsWrite) {
  const auto whole = program_with_symbols({});
  testkit::expect_stored("symbolize/fuzz_corpus/file_symbols_fuzz",
                         std::vector<testkit::StoredInput>{
                             {"program.bin", whole},
                             {"narrow.bin", program_with_symbols({false, true})},
                             {"object.bin", program_with_symbols({}, elf::FileType::relocatable)},
                             {"cut.bin", {whole.begin(), whole.begin() + 400}},
                         });
}

}  // namespace
}  // namespace symcached::symbolize
