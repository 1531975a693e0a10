#include "ppdbcache/writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ppdbcache/reader.hpp"
#include "ppdbcache/run_encoder.hpp"
#include "testing/caches/small_ppdbcache.hpp"

namespace symcached::ppdbcache {
namespace {

using model::ManagedPoint;
using testkit::OwnAssembly;
using testkit::OwnMethod;

TEST(PpdbcacheWriter, AnEmptyAssemblyHoldsNothing) {
  const auto file = testkit::write({});
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache && cache->verify());
  EXPECT_EQ(cache->method_count() + cache->document_count() + cache->row_limit(), 0u);
  EXPECT_FALSE(cache->has_names());
  for (const std::uint32_t row : {0u, 1u, 0xFFFFFFu}) EXPECT_FALSE(cache->lookup(row, 0)) << row;
}

TEST(PpdbcacheWriter, SameInputSameBytes) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    testkit::RandomSource random(seed);
    const OwnAssembly assembly = testkit::AssemblyMaker(random).assembly(60);
    const auto want = testkit::write(assembly);
    Writer writer(1 << 20);  // what size is expected leaves no trace, nor do methods of which nothing is known
    writer.module({assembly.debug_id});
    for (const auto& [path, language] : assembly.documents) writer.document({path, language});
    std::uint32_t row = 0;
    for (const OwnMethod& m : assembly.methods) {
      while (++row < m.row) writer.method({.row = row});
      writer.method({m.row, m.name, m.kickoff, m.points});
    }
    EXPECT_TRUE(std::move(writer).finish() == want) << "seed " << seed;
  }
}

/// What breaks a rule is refused, not repaired: nobody would learn that the producer is wrong.
TEST(PpdbcacheWriter, RefusesWhatBreaksTheRules) {
  struct Row {
    std::string_view why, field;
    std::vector<OwnMethod> methods;
    std::uint64_t row;
  };
  const Row rows[] = {
      {"row 0", "ppdbcache.method.row", {{.row = 0}}, 0},
      {"no token has this row", "ppdbcache.method.row", {{.row = model::kMaxMethodRow + 1}}, model::kMaxMethodRow + 1},
      {"rows fall", "ppdbcache.method.row", {{.row = 3}, {.row = 2}}, 2},
      {"a row twice", "ppdbcache.method.row", {{.row = 3, .name = "a"}, {.row = 3, .name = "b"}}, 3},
      {"a kick-off row beyond tokens", "ppdbcache.method.kickoff", {{.row = 3, .kickoff = 1u << 24}}, 3},
      {"points fall", "ppdbcache.point.il_offset", {{.row = 3, .points = {{5, 0, 1, 1}, {4, 0, 1, 1}}}}, 3},
      {"two points in one place", "ppdbcache.point.il_offset", {{.row = 3, .points = {{5, 0, 1, 1}, {5, 0, 2, 1}}}}, 3},
      {"a document that was not given", "ppdbcache.point.document", {{.row = 3, .points = {{5, 2, 1, 1}}}}, 3},
      {"the first mistake is told", "ppdbcache.point.document", {{.row = 3, .points = {{5, 2, 1, 1}}}, {.row = 1}}, 3},
  };
  for (const Row& r : rows) {
    OwnAssembly assembly = testkit::small_assembly();
    assembly.methods = r.methods;
    const auto file = testkit::try_to_write(assembly);
    ASSERT_FALSE(file) << r.why;
    EXPECT_EQ(file.error().field, r.field) << r.why;
    EXPECT_EQ(file.error().offset, r.row) << r.why;
  }
}

/// One method with these points, written and read back.
std::vector<ManagedPoint> round_trip(std::vector<ManagedPoint> points) {
  OwnAssembly assembly = testkit::small_assembly();
  assembly.documents.resize(300);
  assembly.methods = {{.row = 9, .points = std::move(points)}};
  const auto file = testkit::write(assembly);
  const auto cache = Reader::open(file);
  if (!cache || !cache->verify()) return {};
  std::vector<ManagedPoint> all;
  PointCursor cursor = cache->points(9);
  for (ManagedPoint p; cursor.next(p);) all.push_back(p);
  return all;
}

TEST(PpdbcacheWriter, KeepsPointsAtTheEdgesOfTheirForms) {
  struct Row {
    std::string_view why;
    ManagedPoint first, second;
  };
  const std::uint32_t most = 0xFFFFFFFF;
  const Row rows[] = {
      {"short: longest step", {0, 0, 10, 9}, {32, 0, 10, 9}},
      {"medium: one more", {0, 0, 10, 9}, {33, 0, 10, 9}},
      {"short: lowest line", {0, 0, 10, 9}, {1, 0, 7, 9}},
      {"short: highest line", {0, 0, 10, 9}, {1, 0, 14, 127}},
      {"medium: lowest line", {0, 0, 100, 9}, {1, 0, 68, 128}},
      {"medium: highest", {0, 0, 100, 9}, {255, 0, 131, 511}},
      {"long: step", {0, 0, 100, 9}, {256, 0, 100, 9}},
      {"long: line", {0, 0, 100, 9}, {1, 0, 132, 9}},
      {"long: column", {0, 0, 100, 9}, {1, 0, 100, 512}},
      {"long: document", {0, 0, 100, 9}, {1, 299, 100, 9}},
      {"long: document falls", {0, 299, 100, 9}, {1, 0, 100, 9}},
      {"head: last narrow line", {0, 0, 8191, 127}, {1, 0, 8192, 0}},
      {"head: first wide line", {0, 0, 8192, 127}, {1, 0, 8191, 0}},
      {"head: first wide column", {0, 0, 1, 128}, {1, 0, 1, 0}},
      {"all there is", {most - 1, 299, most, most}, {most, 0, 0, 0}},
      {"and back", {0, 0, 0, 0}, {most, 299, most, most}},
  };
  for (const Row& r : rows) EXPECT_EQ(round_trip({r.first, r.second}), (std::vector{r.first, r.second})) << r.why;
}

TEST(PpdbcacheWriter, WritesTheRunOfThePage) {  // docs/formats/ppdbcache.md, section 4.4
  const ManagedPoint points[] = {{14, 3, 13, 2}, {16, 3, 14, 8}, {17, 3, 25, 16}};
  const std::uint8_t want[] = {0x21, 0x68, 0x00, 0x0E, 0x02, 0x11, 0x03, 0x56, 0x08};
  std::vector<std::uint8_t> run(3 * kMostBytesOfAPoint + 1);
  run.resize(static_cast<std::size_t>(encode_run(points, 3, run.data()) - run.data()));
  EXPECT_TRUE(std::ranges::equal(run, want));
}

TEST(PpdbcacheWriter, KeepsMethodsOfAnyNumberOfPoints) {
  for (const std::uint32_t count : {1u, 47u, 48u, 49u, 64u, 65u, 96u, 5000u})
    for (const bool costly : {false, true}) {
      std::vector<ManagedPoint> points;
      for (std::uint32_t i = 0; i < count; ++i)
        points.push_back({3 + i * (costly ? 70000 : 2), costly ? i % 300 : 0, costly ? i * 77777 : i, i % 90});
      EXPECT_EQ(round_trip(points), points) << count << (costly ? " costly" : "");
    }
}

TEST(PpdbcacheWriter, TheHighestRowIsFound) {
  OwnAssembly assembly = testkit::small_assembly();
  assembly.methods = {{.row = 1, .points = {{0, 0, 5, 1}}},
                      {.row = model::kMaxMethodRow, .kickoff = model::kMaxMethodRow, .points = {{0, 1, 6, 1}}}};
  const auto file = testkit::write(assembly);
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache && cache->verify());
  EXPECT_EQ(cache->row_limit(), model::kMaxMethodRow + 1);
  EXPECT_EQ(cache->lookup(model::kMaxMethodRow, 3)->line, 6u);
  EXPECT_EQ(cache->lookup(1, 3)->line, 5u);
  EXPECT_EQ(cache->method(model::kMaxMethodRow).move_next, model::kMaxMethodRow);
}

TEST(PpdbcacheWriter, AKickoffNamedTwiceLeadsToTheFirst) {
  OwnAssembly assembly;
  assembly.methods = {{.row = 4, .kickoff = 2}, {.row = 7, .kickoff = 1}, {.row = 9, .kickoff = 2}};
  const auto file = testkit::write(assembly);
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache && cache->verify());
  EXPECT_EQ(cache->method(2).move_next, 4u);
  EXPECT_EQ(cache->method(1).move_next, 7u);
  for (const std::uint32_t row : {4u, 9u}) EXPECT_EQ(cache->method(row).kickoff, 2u) << row;
}

TEST(PpdbcacheWriter, CutsNamesBehindTheirScope) {
  struct Row {
    std::string_view name, scope, own;
  };
  const Row rows[] = {
      {"N.C.Run", "N.C.", "Run"},
      {"N.C..ctor", "N.C.", ".ctor"},
      {"Main", "", "Main"},
      {".cctor", ".", "cctor"},
      {"N.C.<Load>d__3.MoveNext", "N.C.", "<Load>d__3.MoveNext"},
      {"<Module>.Start", "<Module>.", "Start"},
      {"N.Map<T>.<Run>b__0.<More>d", "N.Map<T>.", "<Run>b__0.<More>d"},
      {"N.C.System.IDisposable.Dispose", "N.C.System.IDisposable.", "Dispose"},
      {"N.Outer`1.Inner.Map[T]", "N.Outer`1.Inner.", "Map[T]"},
      {".", ".", ""},
      {"..", ".", "."},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(cut_name(r.name).scope, r.scope) << r.name;
    EXPECT_EQ(cut_name(r.name).own, r.own) << r.name;
  }
}

TEST(PpdbcacheWriter, KeepsManyNamesAndCutsEndlessOnes) {
  OwnAssembly assembly;
  for (std::uint32_t i = 1; i < 20'000; ++i)
    assembly.methods.push_back({.row = i, .name = "N.C" + std::to_string(i / 9) + ".M" + std::to_string(i * 7 % 9001)});
  assembly.methods.push_back({.row = 20'000, .name = std::string(kMaxTextSize + 5, 'x')});
  const auto file = testkit::write(assembly);
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache && cache->verify());
  for (const OwnMethod& m : assembly.methods)
    ASSERT_EQ(cache->method(m.row).name.text(), m.name.substr(0, kMaxTextSize));
}

}  // namespace
}  // namespace symcached::ppdbcache
