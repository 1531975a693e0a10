#include "formats/pdb/symbols.hpp"

#include <gtest/gtest.h>

#include "testing/pdb/codeview_records.hpp"

namespace symcached::pdb {
namespace {

using testkit::Section;
using testkit::Symbols;

TEST(SymbolReader, GivesRecordsWithTheirPlaces) {
  const auto bytes = Symbols().proc("f", {1, 2}, 3).end().global("g", {4, 5}).finish();
  SymbolReader reader(bytes, 4);
  auto record = *reader.next();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kind, SymKind::gproc32);
  EXPECT_EQ(record->offset, 4u);
  const auto proc = read_named<ProcSym>(*record, "test");
  ASSERT_TRUE(proc);
  EXPECT_EQ(proc->name, "f");
  EXPECT_EQ(proc->record.code_size, 3u);
  record = *reader.next();
  EXPECT_EQ(record->kind, SymKind::end);
  EXPECT_TRUE(record->data.empty());
  record = *reader.next();
  EXPECT_EQ(read_named<PublicSym>(*record, "test")->name, "g");
  EXPECT_FALSE(*reader.next());
  EXPECT_FALSE(*reader.next());
}

TEST(SymbolReader, RecordsThatCannotBe) {
  struct Row {
    std::string_view why;
    Section bytes;
    bool good;
  };
  const Row rows[] = {
      {"nothing", {}, true},
      {"less than a head at the end is padding", Section().zeros(3), true},
      {"a length without room for the kind", Section().u16(1).u16(6), false},
      {"no length", Section().zeros(4), false},
      {"past the end", Section().u16(3).u16(6), false},
      {"exact", Section().u16(2).u16(6), true},
  };
  for (const Row& r : rows) {
    const auto bytes = r.bytes.finish();
    const auto record = SymbolReader(bytes, 0).next();
    ASSERT_EQ(record.has_value(), r.good) << r.why;
    if (r.good) continue;
    EXPECT_EQ(record.error().field, "pdb.symbol.length") << r.why;
  }
}

TEST(SymbolReader, NamesEndInsideTheRecord) {
  const auto bytes = Symbols().record(SymKind::pub32, Section().u32(0).u32(0).u16(0).text("xx")).finish();
  const auto record = *SymbolReader(bytes, 0).next();
  EXPECT_EQ(read_named<PublicSym>(*record, "test.name").error().field, "test.name");
  EXPECT_FALSE(read_named<ProcSym>(*record, "test.name")) << "shorter than its fixed part";
}

TEST(SymbolKinds, Scopes) {
  struct Row {
    SymKind kind;
    bool procedure, opens, closes;
  };
  const Row rows[] = {
      {SymKind::gproc32, true, true, false},          {SymKind::lproc32_id, true, true, false},
      {SymKind::lproc32_dpc, true, true, false},      {SymKind::thunk32, false, true, false},
      {SymKind::inline_site2, false, true, false},    {SymKind::sep_code, false, true, false},
      {SymKind::gmanproc, false, true, false},        {SymKind::end, false, false, true},
      {SymKind::inline_site_end, false, false, true}, {SymKind::proc_id_end, false, false, true},
      {SymKind::label32, false, false, false},        {SymKind::pub32, false, false, false},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(is_procedure(r.kind), r.procedure) << static_cast<int>(r.kind);
    EXPECT_EQ(opens_scope(r.kind), r.opens) << static_cast<int>(r.kind);
    EXPECT_EQ(closes_scope(r.kind), r.closes) << static_cast<int>(r.kind);
  }
}

}  // namespace
}  // namespace symcached::pdb
