#include "formats/macho/exports.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/assembler.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::macho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::Section;

std::vector<std::string> listed(Bytes trie) {
  const auto exports = read_exports(trie);
  if (!exports) return {std::string(exports.error().field)};
  std::vector<std::string> lines;
  for (const Export& one : *exports) lines.push_back(fmt::format("{} {:x}", one.name, one.offset));
  return lines;
}

/// "_a" leads to "_ab", and that to "_abc", which is another library's; "_t" is a variable of threads.
std::vector<std::byte> small_trie() {
  Section out;
  out.u8(0).u8(1).c_string("_").u8(5);
  out.u8(0).u8(2).c_string("a").u8(13).c_string("t").u8(20);
  out.u8(2).u8(0).u8(0x10).u8(1).c_string("b").u8(24);
  out.u8(2).u8(1).u8(0x20).u8(0);
  out.u8(4).u8(0).u8(0x80).u8(0x80).u8(1).u8(1).c_string("c").u8(33);
  out.u8(3).u8(8).u8(1).u8(0).u8(0);
  return out.finish();
}

TEST(ExportsTrie, NamesAreThePathsToTheNodes) {
  EXPECT_THAT(listed(small_trie()), ElementsAre("_a 10", "_ab 4000"));
  EXPECT_THAT(listed({}), IsEmpty());
}

TEST(ExportsTrie, DamageIsNamed) {
  struct Row {
    std::string_view why;
    std::vector<std::byte> trie;
    std::string_view field;
  };
  const Row rows[] = {
      {"a number that goes on behind its node",
       Section().u8(0).u8(1).c_string("a").u8(5).u8(3).u8(0).u8(0x80).u8(0x80).u8(0).finish(),
       "macho.exports_trie.terminal"},
      {"a child outside", Section().u8(0).u8(1).c_string("a").u8(99).finish(), "macho.exports_trie"},
      {"a node that is its own child", Section().u8(0).u8(1).c_string("a").u8(0).finish(), "macho.exports_trie.nodes"},
      {"an edge without end", Section().u8(0).u8(1).text("abc").finish(), "macho.exports_trie.edge"},
      {"a terminal longer than the trie", Section().u8(50).u8(0).finish(), "macho.exports_trie"},
  };
  for (const Row& r : rows) EXPECT_THAT(listed(r.trie), ElementsAre(std::string(r.field))) << r.why;
}

TEST(ExportsTrie, EveryCutIsReadOrRefused) {
  const auto whole = small_trie();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const testkit::Exact cut(Bytes(whole).first(n));
    [[maybe_unused]] const auto exports = read_exports(cut.bytes());
  }
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(MachoFuzzCorpus, HoldsTries) {
  const testkit::StoredInput inputs[] = {{"small.bin", small_trie()}};
  testkit::expect_stored("formats/macho/fuzz_corpus/exports_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::macho
