#include "formats/sourcemap/reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/stored_inputs.hpp"

namespace symcached::sourcemap {
namespace {

using testing::ElementsAre;

/// 0x10 is main.c:1:1, 0x1A lib/h.h:17:3, 0x1E nothing's, 0x1F main.c:2:2 with a name.
constexpr std::string_view kSmall =
    R"({"version":3,"sourceRoot":"src","sources":["main.c","/lib/h.h",null],"names":["n"],)"
    R"("mappings":"gBAAA,UCgBE,I,CDfDA;AAAA"})";

std::vector<std::string> rows_of(std::string_view text) {
  const auto map = read_source_map(as_bytes(text));
  if (!map) return {std::string(map.error().field)};
  std::vector<std::string> lines;
  for (const Row& row : map->rows)
    lines.push_back(row.source == kNoSource
                        ? fmt::format("{:x} -", row.offset)
                        : fmt::format("{:x} {}:{}:{}", row.offset, map->sources[row.source], row.line, row.column));
  return lines;
}

TEST(SourceMap, RowsOfTheOnlyLine) {
  EXPECT_THAT(rows_of(kSmall), ElementsAre("10 src/main.c:1:1", "1a /lib/h.h:17:3", "1e -", "1f src/main.c:2:2"));
  EXPECT_THAT(rows_of(")]}'\n" + std::string(kSmall)), testing::SizeIs(4));
  EXPECT_THAT(rows_of(R"({"version":3,"sources":["a"],"mappings":",,EAAA,FAAA,"})"), ElementsAre("0 a:1:1", "2 a:1:1"));
}

TEST(SourceMap, DamageIsNamed) {
  struct Row {
    std::string_view why, text, field;
  };
  const Row rows[] = {
      {"no JSON", R"({"version":3)", "source_map.json"},
      {"no object", "[]", "source_map.json"},
      {"version 2", R"({"version":2,"sources":[],"mappings":""})", "source_map.version"},
      {"no version", R"({"sources":[],"mappings":""})", "source_map.version"},
      {"an index map", R"({"version":3,"sections":[]})", "source_map.sources"},
      {"two numbers", R"({"version":3,"sources":["a"],"mappings":"AA"})", "source_map.mappings"},
      {"six numbers", R"({"version":3,"sources":["a"],"mappings":"AAAAAA"})", "source_map.mappings"},
      {"no digit", R"({"version":3,"sources":["a"],"mappings":"A!"})", "source_map.mappings"},
      {"a number cut", R"({"version":3,"sources":["a"],"mappings":"g"})", "source_map.mappings"},
      {"a number of 36 bits", R"({"version":3,"sources":["a"],"mappings":"ggggggggA"})", "source_map.mappings"},
      {"below the start", R"({"version":3,"sources":["a"],"mappings":"D"})", "source_map.mappings.column"},
      {"a source too many", R"({"version":3,"sources":["a"],"mappings":"ACAA"})", "source_map.mappings.source"},
  };
  for (const Row& r : rows) EXPECT_THAT(rows_of(r.text), ElementsAre(std::string(r.field))) << r.why;
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(SourceMapFuzzCorpus, IsWhatTheTestsHold) {
  const Bytes small = as_bytes(kSmall);
  const testkit::StoredInput inputs[] = {{"small.map", {small.begin(), small.end()}}};
  testkit::expect_stored("formats/sourcemap/fuzz_corpus/reader_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::sourcemap
