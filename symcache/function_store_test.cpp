#include "symcache/function_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace symcached::symcache {
namespace {

using model::StringId;

TEST(FunctionStore, GivesBackWhatItPacked) {
  const std::vector<model::Line> rows{
      {.offset = 0, .line = 1, .column = 0, .file = StringId{7}},
      {.offset = 4, .line = 0xFFFFFFFF, .column = 0xFFFFFFFF, .file = StringId::none, .inlinee = 0},
      {.offset = 0xFFFFFFFE, .line = 0, .column = 3, .file = StringId{0xFFFFFFFF}, .inlinee = 1},
  };
  const std::vector<model::Inlinee> calls{
      {.name = StringId{1}, .call_file = StringId{2}, .call_line = 3, .call_column = 4},
      {.caller = 0, .name = StringId{0xFFFFFFFE}, .call_line = 0xFFFFFFFF},
  };
  FunctionStore store;
  store.add({.start = {9}, .size = 1});
  store.add({.start = {0xFFFFFFFFFFFFFFFF},
             .size = 0xFFFFFFFF,
             .name = StringId{3},
             .linkage_name = StringId{4},
             .language = model::Language::rust,
             .kind = model::SymbolKind::cold_part,
             .rank = 5,
             .parent = {6},
             .lines = rows,
             .inlinees = calls});
  store.add({.start = {10}, .size = 1});

  std::vector<model::Inlinee> calls_back{{}, {}, {}};
  std::vector<model::Line> rows_back;
  const StoredFunction& f = store.functions()[1];
  store.unpack(f, calls_back, rows_back);
  EXPECT_EQ(rows_back, rows);
  EXPECT_EQ(calls_back, calls);
  EXPECT_EQ(f.start, 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(f.parent, 6u);
  EXPECT_EQ(f.size, 0xFFFFFFFF);
  EXPECT_EQ(f.rank, 5u);
  EXPECT_EQ(f.name, 3u);
  EXPECT_EQ(f.linkage_name, 4u);
  EXPECT_EQ(f.language, model::Language::rust);
  EXPECT_EQ(f.kind, model::SymbolKind::cold_part);
  store.unpack(store.functions()[2], calls_back, rows_back);
  EXPECT_TRUE(rows_back.empty() && calls_back.empty());
}

TEST(FunctionStore, DropsRowsThatCoverNoByte) {
  struct Row {
    std::uint32_t size;
    std::size_t want;
  };
  const std::vector<model::Line> lines{{.offset = 0, .line = 1}, {.offset = 4, .line = 2}, {.offset = 8, .line = 3}};
  for (const Row& r : {Row{0, 0}, Row{1, 1}, Row{4, 1}, Row{5, 2}, Row{8, 2}, Row{9, 3}}) {
    FunctionStore store;
    store.add({.size = r.size, .lines = lines});
    EXPECT_EQ(store.functions()[0].row_count, r.want) << r.size;
  }
}

TEST(FunctionStore, FindsTheUnitOfAllOffsets) {
  struct Row {
    std::string_view why;
    std::vector<std::uint32_t> offsets;
    std::uint32_t want;
  };
  const Row rows[] = {
      {"no rows", {}, 4},      {"only starts", {0}, 4},          {"fixed-size instructions", {0, 4, 12}, 4},
      {"Thumb", {0, 4, 6}, 2}, {"one odd offset", {0, 4, 7}, 1}, {"multiples of more stay at 4", {0, 16, 32}, 4},
  };
  for (const Row& r : rows) {
    FunctionStore store;
    for (const std::uint32_t offset : r.offsets) {
      const model::Line line{.offset = offset, .line = 1};
      store.add({.size = 64, .lines = {&line, 1}});
    }
    EXPECT_EQ(store.offset_unit(), r.want) << r.why;
  }
}

TEST(FunctionStore, SeesColumnsInRowsAndInCalls) {
  struct Row {
    std::string_view why;
    model::Line line;
    model::Inlinee call;
    bool want;
  };
  const Row rows[] = {
      {"none", {.line = 5}, {.call_line = 6}, false},
      {"in a row", {.line = 5, .column = 1}, {}, true},
      {"in a call", {}, {.call_column = 2}, true},
  };
  for (const Row& r : rows) {
    FunctionStore store;
    store.add({.size = 1, .lines = {&r.line, 1}, .inlinees = {&r.call, 1}});
    EXPECT_EQ(store.has_columns(), r.want) << r.why;
  }
}

}  // namespace
}  // namespace symcached::symcache
