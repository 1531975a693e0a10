#include "ppdbcache/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "testing/assembler.hpp"
#include "testing/caches/ppdbcache_walk.hpp"
#include "testing/caches/small_ppdbcache.hpp"
#include "testing/number_inputs.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::ppdbcache {
namespace {

using testkit::Exact;
using testkit::OwnAssembly;
using testkit::OwnMethod;

/// Every method and the rows around it, at every point and its neighbours, against the assembly asked the plain way.
void expect_all_answers(const OwnAssembly& assembly) {
  const Exact file(testkit::write(assembly));
  const auto cache = Reader::open(file.bytes());
  ASSERT_TRUE(cache) << to_string(cache.error());
  const auto verified = cache->verify();
  ASSERT_TRUE(verified) << to_string(verified.error());
  ASSERT_EQ(cache->debug_id(), assembly.debug_id);
  for (const OwnMethod& m : assembly.methods) {
    for (const std::uint32_t row : {m.row - 1, m.row, m.row + 1}) {
      for (const std::uint32_t il_offset : {0u, 1u, 50u, 0xFFFFFFFFu})
        ASSERT_EQ(testkit::owned(cache->lookup(row, il_offset)), testkit::place_at(assembly, row, il_offset)) << row;
    }
    for (const model::ManagedPoint& p : m.points)
      for (const std::uint32_t il_offset : {p.il_offset - 1, p.il_offset, p.il_offset + 1})
        ASSERT_EQ(testkit::owned(cache->lookup(m.row, il_offset)), testkit::place_at(assembly, m.row, il_offset))
            << m.row << "+" << il_offset;
    const Method method = cache->method(m.row);
    ASSERT_EQ(method.name.text(), m.name);
    ASSERT_EQ(method.kickoff, m.kickoff);
    ASSERT_EQ(method.has_points, !m.points.empty());
    ASSERT_EQ(method.move_next, testkit::move_next_of(assembly, m.row));
    std::vector<model::ManagedPoint> points;
    PointCursor cursor = cache->points(m.row);
    for (model::ManagedPoint p; cursor.next(p);) points.push_back(p);
    ASSERT_FALSE(cursor.failed());
    ASSERT_EQ(points, m.points) << m.row;
  }
}

TEST(Ppdbcache, AnswersAsASmallAssemblyDoes) { expect_all_answers(testkit::small_assembly()); }

TEST(Ppdbcache, AnswersAsRandomAssembliesDo) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    testkit::RandomSource random(seed);
    expect_all_answers(testkit::AssemblyMaker(random).assembly(1 + random.below(80)));
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

TEST(Ppdbcache, FindsTheLastPointAtOrBefore) {
  struct Row {
    std::string_view why;
    std::uint32_t row, il_offset;
    std::string_view want;  ///< "document:line:column method", empty: nothing
  };
  const Row rows[] = {
      {"the first point", 1, 0, "/src/App/Program.cs:12:9 App.Program.Main"},
      {"between two", 1, 23, "/src/App/Program.cs:13:13 App.Program.Main"},
      {"at the next one", 1, 24, "/src/App/Program.cs:15:9 App.Program.Main"},
      {"behind the last", 1, 0xFFFFFFFF, "/src/App/Program.cs:15:9 App.Program.Main"},
      {"another document inside the method", 5, 8, "/src/App/Table.fs:3:2 App.Program..ctor"},
      {"and back, far away", 5, 900, "/src/App/Program.cs:70000:700 App.Program..ctor"},
      {"before the first point", 6, 13, ""},
      {"a method without a name", 6, 14, "/src/App/Table.fs:9000:1 "},
      {"the async method is named, not its MoveNext", 70, 31, "/src/App/Program.cs:21:9 App.Program.LoadAsync"},
      {"far inside a large method", 200, 99 * 9, "/src/App/Table.fs:41:5 App.Table.Fill"},
      {"just before a restart", 200, 64 * 9 - 1, "/src/App/Table.fs:40:5 App.Table.Fill"},
      {"at a restart", 200, 64 * 9, "/src/App/Table.fs:41:5 App.Table.Fill"},
      {"the kick-off method has no points", 2, 0, ""},
      {"a row between others", 4, 0, ""},
      {"no row", 0, 0, ""},
      {"behind the last row", 201, 0, ""},
      {"behind the last block", 256, 0, ""},
      {"the highest row", model::kMaxMethodRow, 0, ""},
      {"beyond any token", 0xFFFFFFFF, 0, ""},
  };
  const auto file = testkit::write(testkit::small_assembly());
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache);
  for (const Row& r : rows) {
    const auto place = cache->lookup(r.row, r.il_offset);
    const std::string found = place ? std::string(place->document) + ":" + std::to_string(place->line) + ":" +
                                          std::to_string(place->column) + " " + place->method.text()
                                    : "";
    EXPECT_EQ(found, r.want) << r.why;
  }
  EXPECT_EQ(cache->lookup(200, 0)->language, model::Language::fsharp);
}

TEST(Ppdbcache, LeadsFromKickoffToMoveNextAndBack) {
  const auto file = testkit::write(testkit::small_assembly());
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->method(70).kickoff, 2u);
  EXPECT_EQ(cache->method(70).name.text(), "App.Program.<LoadAsync>d__1.MoveNext");
  EXPECT_EQ(cache->method(2).move_next, 70u);
  EXPECT_EQ(cache->method(1).kickoff + cache->method(1).move_next + cache->method(70).move_next, 0u);
}

TEST(Ppdbcache, ListsWhatItHolds) {
  const auto file = testkit::write(testkit::small_assembly());
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->method_count(), 5u);
  EXPECT_EQ(cache->point_count(), 109u);
  EXPECT_EQ(cache->kickoffs().count(), 1u);
  EXPECT_EQ(cache->row_limit(), 201u);
  ASSERT_EQ(cache->document_count(), 2u);
  EXPECT_EQ(cache->document(1)->path, "/src/App/Table.fs");
  EXPECT_EQ(cache->document(1)->language, model::Language::fsharp);
  EXPECT_FALSE(cache->document(2));
  EXPECT_TRUE(is_ppdbcache(file));
  EXPECT_FALSE(is_ppdbcache(Bytes(file).subspan(1)));
}

TEST(Ppdbcache, EveryCutIsRefusedOrSeen) {
  const auto whole = testkit::write(testkit::tiny_assembly());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const Exact cut(Bytes(whole).first(n));
    const auto cache = Reader::open(cut.bytes());
    if (!cache) continue;
    EXPECT_FALSE(cache->verify()) << n << " bytes";
    testkit::walk_everything(*cache, 80);
  }
  EXPECT_FALSE(Reader::open(Bytes(whole).first(sizeof(Header) - 1)));
}

/// Checksums that fit, so that what lies behind them is reached.
std::vector<std::byte> mended(std::vector<std::byte> file) {
  Header header = *read_at<Header>(file, 0, "header");
  header.payload_checksum = XXH3_64bits(file.data() + sizeof header, file.size() - sizeof header);
  header.header_checksum = 0;
  header.header_checksum = XXH3_64bits(&header, sizeof header);
  testkit::patch(file, 0, header);
  return file;
}

TEST(Ppdbcache, EveryFlippedBitIsSeenAndHarmless) {
  const auto whole = testkit::write(testkit::tiny_assembly());
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::vector<std::byte> flipped = whole;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const Exact as_it_is(flipped), with_checksums(mended(flipped));
    const auto flipped_alone = Reader::open(as_it_is.bytes());
    EXPECT_FALSE(flipped_alone && flipped_alone->verify()) << "bit " << bit;
    if (const auto cache = Reader::open(with_checksums.bytes())) testkit::walk_everything(*cache, 80);
  }
}

std::vector<std::byte> with_header(std::vector<std::byte> file, void (*spoil)(Header&)) {
  Header header = *read_at<Header>(file, 0, "header");
  spoil(header);
  testkit::patch(file, 0, header);
  return mended(std::move(file));
}

TEST(Ppdbcache, NamesTheFieldOfTheHeaderThatIsWrong) {
  struct Row {
    std::string_view field;
    void (*spoil)(Header&);
  };
  const Row rows[] = {
      {"ppdbcache.magic", [](Header& h) { h.magic[3] = 'X'; }},
      {"ppdbcache.version", [](Header& h) { h.version = kFormatVersion + 1; }},
      {"ppdbcache.name_width", [](Header& h) { h.name_width = 5; }},
      {"ppdbcache.points", [](Header& h) { h.points.offset = ~std::uint64_t{0}; }},
      {"ppdbcache.points", [](Header& h) { h.points.size = kPadding - 1; }},
      {"ppdbcache.large", [](Header& h) { h.large.size = ~std::uint64_t{0}; }},
      {"ppdbcache.blocks", [](Header& h) { h.blocks.offset = 1 << 20; }},
      {"ppdbcache.documents", [](Header& h) { h.documents.size = 1 << 20; }},
      {"ppdbcache.paths", [](Header& h) { h.paths.offset = 1 << 20; }},
      {"ppdbcache.kickoffs", [](Header& h) { h.kickoff_count = 0xFFFFFFFF; }},
      {"ppdbcache.move_nexts", [](Header& h) { h.move_next_count = 17; }},
      {"ppdbcache.name_blocks", [](Header& h) { h.name_blocks.offset = 1 << 20; }},
      {"ppdbcache.names", [](Header& h) { h.names.size = kPadding - 1; }},
      {"ppdbcache.scopes", [](Header& h) { h.scopes.offset = 1 << 20; }},
      {"ppdbcache.text", [](Header& h) { h.text.offset = 1 << 20; }},
  };
  const auto whole = testkit::write(testkit::tiny_assembly());
  ASSERT_TRUE(Reader::open(with_header(whole, [](Header&) {}))->verify());
  for (const Row& r : rows) {
    const auto cache = Reader::open(with_header(whole, r.spoil));
    ASSERT_FALSE(cache) << r.field;
    EXPECT_EQ(cache.error().field, r.field);
  }
  auto flipped = whole;
  flipped[40] ^= std::byte{1};
  EXPECT_EQ(Reader::open(flipped).error().field, "ppdbcache.header_checksum");
}

/// One byte of a section changed, and the checksums made to fit: what verify() has to find by itself.
std::vector<std::byte> with_byte(std::vector<std::byte> file, Section Header::* section, std::size_t at,
                                 std::uint8_t value) {
  const Header header = *read_at<Header>(file, 0, "header");
  file[(header.*section).offset + at] = static_cast<std::byte>(value);
  return mended(std::move(file));
}

TEST(Ppdbcache, VerifyFindsWhatTheChecksumsDoNot) {
  struct Row {
    std::string_view field;
    Section Header::* section;
    std::size_t at;
    std::uint8_t value;
  };
  const Row rows[] = {
      {"ppdbcache.paths", &Header::documents, 0, 1},         {"ppdbcache.documents", &Header::documents, 5, 200},
      {"ppdbcache.blocks", &Header::blocks, 0, 0x23},        // bit of row 0
      {"ppdbcache.blocks", &Header::blocks, 8, 1},           // position
      {"ppdbcache.point.document", &Header::blocks, 12, 9},  // document
      {"ppdbcache.points", &Header::points, 0, 2},           // length
      {"ppdbcache.method", &Header::points, 0, 8},           // a length that splits a point
      {"ppdbcache.large", &Header::large, 3, 0x7F},          // restarts
      {"ppdbcache.restart", &Header::large, 4, 1},           // its IL offset
      {"ppdbcache.restart", &Header::large, 8, 200},         // its end
      {"ppdbcache.kickoffs", &Header::kickoffs, 0, 0},       {"ppdbcache.move_nexts", &Header::move_nexts, 0, 3},
      {"ppdbcache.name_blocks", &Header::name_blocks, 8, 1}, {"ppdbcache.name_blocks", &Header::name_blocks, 0, 0},
      {"ppdbcache.scopes", &Header::name_blocks, 12, 0},     {"ppdbcache.names", &Header::names, 1, 2},
      {"ppdbcache.scopes", &Header::scopes, 0, 2},           {"ppdbcache.text", &Header::text, 1, 0x7F},
  };
  const auto whole = testkit::write(testkit::tiny_assembly());
  for (const Row& r : rows) {
    const auto file = with_byte(whole, r.section, r.at, r.value);
    const auto cache = Reader::open(file);
    ASSERT_TRUE(cache) << r.field;
    const auto verified = cache->verify();
    ASSERT_FALSE(verified) << r.field;
    EXPECT_EQ(verified.error().field, r.field);
    testkit::walk_everything(*cache, 80);
  }
}

TEST(PpdbcacheFuzzCorpus, IsWhatTheTestsWrite) {
  const auto tiny = testkit::write(testkit::tiny_assembly());
  testkit::RandomSource random(7);
  OwnAssembly nameless = testkit::tiny_assembly();
  for (OwnMethod& m : nameless.methods) m.name.clear();
  const std::vector<testkit::StoredInput> inputs{
      {"empty.ppdbcache", testkit::write({})},
      {"tiny.ppdbcache", tiny},
      {"nameless.ppdbcache", testkit::write(nameless)},
      {"small.ppdbcache", testkit::write(testkit::small_assembly())},
      {"random.ppdbcache", testkit::write(testkit::AssemblyMaker(random).assembly(40))},
      {"cut.ppdbcache", {tiny.begin(), tiny.begin() + static_cast<std::ptrdiff_t>(tiny.size() / 2)}},
      {"bad_point.ppdbcache", with_byte(tiny, &Header::points, 0, 8)},
      {"bad_restart.ppdbcache", with_byte(tiny, &Header::large, 8, 200)},
  };
  testkit::expect_stored("ppdbcache/fuzz_corpus/reader_fuzz", inputs);
}

TEST(PpdbcacheFuzzCorpus, HoldsNumbersForTheWriter) {
  testkit::expect_stored("ppdbcache/fuzz_corpus/writer_fuzz", testkit::number_inputs(40));
}

}  // namespace
}  // namespace symcached::ppdbcache
