#include "symbolize/contents.hpp"

#include <gtest/gtest.h>

#include "testing/caches/own_module.hpp"

namespace symcached::symbolize {
namespace {

using testkit::OwnFunction;

TEST(Contents, AreToldFromTheCache) {
  const OwnFunction with_lines{.start = 0x10, .name = "f", .lines = {{.line = 1, .file = "a.c"}}};
  const OwnFunction plain{.start = 0x10, .name = "f"};
  const OwnFunction exported{.start = 0x20, .name = "g", .kind = model::SymbolKind::public_symbol};
  struct Row {
    std::string_view why;
    std::string producer;
    std::vector<OwnFunction> functions;
    Contents want;
  };
  const Row rows[] = {
      {"empty", "pdb", {}, Contents::nothing},
      {"a PDB", "pdb", {with_lines, exported}, Contents::lines},
      {"a PDB without lines", "pdb", {exported, plain}, Contents::symbol_table},
      {"a stripped PDB", "pdb", {exported}, Contents::public_symbols},
      {"an ELF file's symbol table", "elf", {exported}, Contents::symbol_table},
      {"DWARF", "elf", {with_lines}, Contents::lines},
      {"Breakpad", "breakpad", {with_lines}, Contents::breakpad},
      {"Breakpad without lines", "breakpad", {exported}, Contents::symbol_table},
  };
  for (const Row& r : rows) {
    symcache::Writer writer;
    writer.module({.producer_kind = r.producer});
    for (const OwnFunction& function : r.functions) testkit::put(function, writer);
    const auto bytes = std::move(writer).finish();
    const auto cache = symcache::Symcache::open(bytes);
    ASSERT_TRUE(cache) << r.why;
    EXPECT_EQ(name_of(contents_of(*cache)), name_of(r.want)) << r.why;
  }
}

TEST(Contents, NamesAreReadAsTheyAreWritten) {
  for (std::size_t i = 0; i < kContentsNames.size(); ++i)
    EXPECT_EQ(parse_contents(name_of(static_cast<Contents>(i))), static_cast<Contents>(i));
  EXPECT_EQ(parse_contents("line"), std::nullopt);
}

}  // namespace
}  // namespace symcached::symbolize
