#include "symbolize/growing_symcache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolize/open_module.hpp"
#include "testing/assembler.hpp"
#include "testing/dwarf/tiny.hpp"
#include "testing/elf/image.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::symbolize {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kText = 0x1000, kTextSize = 0x10000;

/// A unit of each function, told of in .debug_aranges unless its name says so.
struct PiecewiseElf {
  std::vector<testkit::TinyFunction> functions;
  std::vector<testkit::TinyFunction> symbols = {};
  bool is_malformed_at_end = false;  ///< the last unit
};

void append(std::vector<std::byte>& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

std::string assembled(const PiecewiseElf& elf) {
  const elf::Layout layout{};
  std::vector<std::byte> info, abbrev, aranges;
  for (const testkit::TinyFunction& function : elf.functions) {
    const auto unit = testkit::tiny_dwarf({function}, 8);
    const auto offset = static_cast<std::uint32_t>(info.size());
    append(info, unit.info);
    abbrev = unit.abbrev;
    testkit::Section set;
    set.u32(44).u16(2).u32(offset).u8(8).u8(0).u32(0).u64(function.low).u64(function.size).u64(0).u64(0);
    if (!function.name.starts_with("untold")) append(aranges, set.finish());
  }
  if (elf.is_malformed_at_end) info.back() = std::byte{0x7F};  // no such abbreviation
  testkit::ElfImage image;
  image.sections = {{.name = ".text",
                     .flags = elf::kFlagAlloc | elf::kFlagExecInstr,
                     .address = kText,
                     .data = std::vector<std::byte>(16)},
                    {.name = ".debug_info", .data = info},
                    {.name = ".debug_abbrev", .data = abbrev},
                    {.name = ".debug_aranges", .data = aranges}};
  image.sections.front().data.resize(kTextSize);
  std::vector<testkit::ElfSymbol> symbols;
  for (const testkit::TinyFunction& symbol : elf.symbols)
    symbols.push_back({.name = std::string(symbol.name), .value = symbol.low, .size = symbol.size});
  const auto table = testkit::symbol_table(layout, symbols);
  image.sections.push_back({.name = ".symtab", .type = elf::SectionType::symtab, .data = table.records, .link = 6});
  image.sections.push_back({.name = ".strtab", .type = elf::SectionType::strtab, .data = table.strings});
  return std::string(as_text(assemble(image)));
}

class Growing : public testing::Test {
 protected:
  OpenedModule open(const PiecewiseElf& elf, GrowingOptions options) const {
    folder_.write("program", assembled(elf));
    options.min_file_size = 0;
    auto opened = OpenedModule::open(folder_.path() / "program", {.growing = options});
    if (!opened) ADD_FAILURE() << opened.error();
    return *std::move(opened);
  }
  static std::string ask(const OpenedModule& module, std::uint64_t address) {
    Answer answer;
    module.module().ask(model::Rva{address}, {}, answer);
    return answer.frames().empty() ? "??" : std::string(answer.frames().front().function);
  }
  TempFolder folder_;
};

const PiecewiseElf kThree{
    .functions = {{"first", 0x1000, 0x10}, {"second", 0x1010, 0x10}, {"untold", 0x1020, 0x10}},
    .symbols = {{"first", 0x1000, 0x10}, {"second.cold", 0x1010, 0x10}, {"assembly", 0x1040, 0x20}}};

TEST_F(Growing, AnswersAsTheWholeDoes) {
  const OpenedModule whole = open(kThree, {.most_pieces = 0}), pieces = open(kThree, {.most_pieces = 100});
  for (std::uint64_t at = 0xFFF; at < 0x1070; ++at) EXPECT_EQ(ask(pieces, at), ask(whole, at)) << at;
  EXPECT_EQ(ask(whole, 0x1018), "second.cold");
  EXPECT_EQ(ask(whole, 0x1028), "untold");
  EXPECT_EQ(ask(whole, 0x1048), "assembly");
}

TEST_F(Growing, OtherUnitsAreNotRead) {
  PiecewiseElf elf = kThree;
  elf.is_malformed_at_end = true;
  const OpenedModule opened = open(elf, {.most_pieces = 2});
  EXPECT_EQ(ask(opened, 0x1004), "first");
  EXPECT_EQ(ask(opened, 0x1014), "second.cold");
  EXPECT_EQ(opened.trouble(), "");
  EXPECT_EQ(ask(opened, 0x1004), "first") << "no question is counted twice";
  EXPECT_EQ(ask(opened, 0x1005), "??") << "the third question takes the whole";
  EXPECT_THAT(opened.trouble(), testing::HasSubstr("dwarf.die.abbrev"));
}

TEST_F(Growing, WhatNobodyTellsOfTakesTheWhole) {
  PiecewiseElf elf = kThree;
  elf.is_malformed_at_end = true;
  const OpenedModule opened = open(elf, {});
  EXPECT_EQ(ask(opened, 0x1028), "??");
  EXPECT_NE(opened.trouble(), "");
}

TEST_F(Growing, TheCacheOfAllIsThereForWhoAsks) {
  const OpenedModule whole = open(kThree, {.most_pieces = 0}), pieces = open(kThree, {});
  EXPECT_EQ(ask(pieces, 0x1004), "first");
  EXPECT_EQ(as_text(pieces.module().cache()), as_text(whole.module().cache()));
  EXPECT_EQ(pieces.module().symcache()->function_count(), whole.module().symcache()->function_count());
  EXPECT_EQ(pieces.module().debug_id(), whole.module().debug_id());
}

TEST_F(Growing, AnotherProcessFillsTheUsersCache) {
  folder_.write("program", assembled(kThree));
  std::vector<fs::path> filled;
  UserCache cache({.directory = folder_.path() / "cache", .min_file_size = 0, .fill_behind = [&](const fs::path& path) {
                     filled.push_back(path.filename());
                   }});
  const auto open_it = [&](std::size_t most_pieces) {
    return OpenedModule::open(folder_.path() / "program",
                              {.growing = {{.min_file_size = 0, .most_pieces = most_pieces}}, .cache = &cache});
  };
  {
    const auto unasked = open_it(5);
  }
  {
    EXPECT_EQ(ask(*open_it(5), 0x1004), "first");
  }
  EXPECT_THAT(filled, testing::ElementsAre("program")) << "once for the one that was asked";
  {
    EXPECT_EQ(ask(*open_it(0), 0x1004), "first");
  }
  EXPECT_EQ(filled.size(), 1U) << "it was converted here";
  const auto kept = open_it(5);
  EXPECT_TRUE(kept->is_from_cache());
  EXPECT_EQ(ask(*kept, 0x1018), "second.cold");
}

}  // namespace
}  // namespace symcached::symbolize
