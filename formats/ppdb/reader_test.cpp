#include "formats/ppdb/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/managed/portable_pdb.hpp"
#include "testing/managed/ppdb_text.hpp"
#include "testing/managed/ppdb_walk.hpp"

namespace symcached::ppdb {
namespace {

using testing::ElementsAre;
using testkit::assemble;
using testkit::Exact;
using testkit::patch;
using testkit::point;
using testkit::PortablePdb;
using testkit::rich_pdb_spec;
using testkit::Section;

TEST(Pdb, EverythingThatIsWrittenIsRead) {
  for (const int heaps : {0, 7}) {
    PortablePdb spec = rich_pdb_spec();
    spec.heap_sizes = static_cast<std::uint8_t>(heaps);
    const auto bytes = assemble(spec).finish();
    const auto pdb = Pdb::open(bytes);
    ASSERT_TRUE(pdb) << to_string(pdb.error());
    EXPECT_EQ(pdb->debug_id().dashed(), "04030201-0605-0807-090a-0b0c0d0e0f10-deadbeef");
    EXPECT_EQ(pdb->entry_point(), 0x06000001u);
    const auto text = testkit::ppdb_text(*pdb);
    ASSERT_TRUE(text) << to_string(text.error());
    const std::string abs = [] {
      std::string out;
      for (int i = 0; i < 32; ++i) out += "ab";
      return out;
    }();
    const std::string tail = "\t3f5162f8-07c6-11d3-9053-00c04fa302a1\t8829d00f-11b8-4213-878b-770e8597ac16\t" + abs;
    EXPECT_EQ(*text,
              "id\t0102030405060708090a0b0c0d0e0f10efbeadde\n"
              "document\t1\t/src/app/Program.cs" +
                  tail +
                  "\t14\n"
                  "document\t2\tC:\\src\\Other.cs\t-\t-\t\t-\n"
                  "document\t3\tgenerated.cs" +
                  tail +
                  "\t16\n"
                  "point\t0x06000001\t0\t1\t10\t5\t10\t6\n"
                  "point\t0x06000001\t1\t1\t11\t9\t12\t3\n"
                  "point\t0x06000001\t7\t1\t0xfeefee\t0\t0xfeefee\t0\n"
                  "point\t0x06000001\t9\t1\t9\t300\t9\t301\n"
                  "point\t0x06000003\t0\t2\t0xfeefee\t0\t0xfeefee\t0\n"
                  "point\t0x06000003\t4\t2\t100000\t1\t100002\t2\n"
                  "point\t0x06000003\t300\t1\t5\t1\t5\t2\n"
                  "point\t0x06000003\t20000\t3\t0xfeefee\t0\t0xfeefee\t0\n"
                  "moved\t0x06000003\t0x06000002\n"
                  "point\t0x06000004\t0\t1\t0xfeefee\t0\t0xfeefee\t0\n"
                  "point\t0x06000005\t0\t3\t1\t1\t1\t40\n"
                  "moved\t0x06000005\t0x06000004\n"
                  "sourcelink\t" +
                  spec.source_link + "\n");
    const auto options = pdb->compilation_options();
    ASSERT_TRUE(options);
    ASSERT_EQ(options->size(), 2u);
    EXPECT_EQ((*options)[0].name, "language");
    EXPECT_EQ((*options)[0].value, "C#");
    EXPECT_EQ((*options)[1].value, "2");
  }
}

TEST(Pdb, SourcesComeOutAsTheyWent) {
  const auto bytes = assemble(rich_pdb_spec()).finish();
  const auto pdb = Pdb::open(bytes);
  const auto text = [&](std::uint32_t row) {
    return std::string(as_text(unpack(**pdb->embedded_source(row))->bytes()));
  };
  EXPECT_EQ(text(1), "class Program;");
  EXPECT_EQ(text(3), std::string(16, 'a'));
  EXPECT_FALSE(*pdb->embedded_source(2));
  EXPECT_FALSE(*pdb->embedded_source(99));
  struct SourceRow {
    std::string_view why;
    std::vector<std::byte> blob;
    std::string_view field;
    ReadError::Kind kind;
  };
  const Section deflated = Section().u8(0x4B).u32_big(0x4C440500);
  const auto sized = [&](std::uint32_t size) { return Section().u32(size).bytes(deflated.finish()).finish(); };
  using Kind = ReadError::Kind;
  const SourceRow rows[] = {
      {"no room for the size", Section().u8(1).u8(0).finish(), "ppdb.embedded_source.size", Kind::truncated},
      {"another format", sized(0x80000000), "unknown format of an embedded source (ppdb.embedded_source.size)",
       Kind::unsupported},
      {"less than stated", sized(17), "ppdb.embedded_source", Kind::bad_value},
      {"more than stated", sized(15), "ppdb.embedded_source", Kind::too_large},
      {"more than this could be", sized(1u << 20), "ppdb.embedded_source", Kind::too_large},
      {"more than we take", sized(kMaxEmbeddedSource + 1), "ppdb.embedded_source", Kind::too_large},
  };
  for (const SourceRow& r : rows) {
    const auto file = assemble(PortablePdb{.documents = {{.name = "a.cs", .embedded = r.blob}}}).finish();
    const auto opened = Pdb::open(file);
    const auto source = opened->embedded_source(1);
    const auto error = source ? unpack(**source).error() : source.error();
    EXPECT_EQ(error.field, r.field) << r.why;
    EXPECT_EQ(error.kind, r.kind) << r.why;
  }
}

TEST(Pdb, TablesInTheWrongOrderAreFoundInAllTheSame) {
  PortablePdb spec = rich_pdb_spec();
  spec.documents_first = true;
  spec.machines = {{5, 4}, {3, 2}, {4, 99}};
  const auto bytes = assemble(spec).finish();
  const auto pdb = Pdb::open(bytes);
  ASSERT_TRUE(pdb);
  EXPECT_EQ(pdb->kickoff_of(3), 2u);
  EXPECT_EQ(pdb->kickoff_of(5), 4u);
  EXPECT_EQ(pdb->kickoff_of(4), std::nullopt) << "there is no method 99";
  EXPECT_EQ(pdb->kickoff_of(2), std::nullopt);
  EXPECT_EQ(**pdb->source_link(), spec.source_link);
  EXPECT_TRUE(*pdb->embedded_source(1));
  EXPECT_FALSE(*pdb->embedded_source(2));
  EXPECT_TRUE(*pdb->embedded_source(3));
}

TEST(Pdb, NamesOfDocuments) {
  for (const std::string_view name : {"/a/b/c.cs", "C:\\a\\b.cs", "a.cs", "", "/", "//", "a//b/"}) {
    const auto bytes = assemble(PortablePdb{.documents = {{.name = std::string(name)}}}).finish();
    EXPECT_EQ(Pdb::open(bytes)->document_name(1).value(), name);
  }
  struct NameRow {
    std::string_view why;
    std::vector<std::byte> parts;
    std::string_view want;  ///< the name, or the field of the error
  };
  const auto big = Section().u8('/').bytes(std::vector<std::byte>(kMaxDocumentName, std::byte{0}));
  const NameRow rows[] = {
      {"no separator", Section().u8(0).u8(1).u8(1).finish(), "abab"},
      {"part 0 is empty", Section().u8('/').u8(0).u8(1).finish(), "/ab"},
      {"nothing but a separator", Section().u8('/').finish(), ""},
      {"nothing at all", {}, "ppdb.document.name"},
      {"a separator that is no character", Section().u8(0xC3).u8(1).finish(), "ppdb.document.name.separator"},
      {"a part outside of the heap", Section().u8('/').u8(0x7F).finish(), "ppdb.document.name.part"},
      {"a number cut short", Section().u8('/').u8(0x80).finish(), "ppdb.document.name"},
      {"endless", big.finish(), "ppdb.document.name"},
  };
  for (const NameRow& r : rows) {
    testkit::MetadataImage image;
    image.pdb_id = std::vector<std::byte>(20);
    ASSERT_EQ(image.blob(as_bytes("ab")), 1u);
    namespace cell = testkit::cell;
    image.row(Table::document, {cell::blob(image.blob(r.parts)), cell::guid(0), cell::blob(0), cell::guid(0)});
    const auto bytes = image.assemble().finish();
    const auto pdb = Pdb::open(bytes);
    ASSERT_TRUE(pdb) << r.why;
    const auto name = pdb->document_name(1);
    EXPECT_EQ(name ? std::string_view(*name) : name.error().field, r.want) << r.why;
  }
}

TEST(Pdb, AMethodThatBreaksTheRulesDoesNotEndTheWalk) {
  testkit::MetadataImage image;
  namespace cell = testkit::cell;
  image.pdb_id = std::vector<std::byte>(20);
  image.elsewhere = {{Table::method_def, 3}};
  const std::uint32_t name = image.blob(Section().u8('/').finish());
  image.row(Table::document, {cell::blob(name), cell::guid(0), cell::blob(0), cell::guid(0)});
  const auto good = image.blob(testkit::encode_points({{point(0, 1, 1, 1, 2)}}).first);
  const auto cut = image.blob(Section().u8(0).u8(0).u8(0).finish());
  for (const std::uint32_t blob : {good, cut, good})
    image.row(Table::method_debug_information, {cell::row(Table::document, 1), cell::blob(blob)});
  const auto bytes = image.assemble().finish();
  std::vector<std::uint32_t> sound, damaged;
  const auto pdb = Pdb::open(bytes);
  ASSERT_TRUE(pdb);
  ASSERT_TRUE(pdb->for_each_method([&](std::uint32_t method, SequencePoints& points) {
    for (SequencePoint p; points.next(p);) continue;
    (points.error() ? damaged : sound).push_back(method);
  }));
  EXPECT_THAT(sound, ElementsAre(1u, 3u));
  EXPECT_THAT(damaged, ElementsAre(2u));
}

TEST(Pdb, MethodsThatShareABlobCostNoMoreThanTheFile) {
  testkit::MetadataImage image;
  namespace cell = testkit::cell;
  image.pdb_id = std::vector<std::byte>(20);
  constexpr std::uint32_t kMethods = 2000;
  image.elsewhere = {{Table::method_def, kMethods}};
  testkit::PdbMethodSpec method;
  for (std::uint32_t i = 0; i < 20'000; ++i) method.points.push_back(point(i, i + 1, 1, i + 1, 2));
  const std::uint32_t name = image.blob(Section().u8('/').finish());
  image.row(Table::document, {cell::blob(name), cell::guid(0), cell::blob(0), cell::guid(0)});
  const std::uint32_t blob = image.blob(testkit::encode_points(method).first);
  for (std::uint32_t i = 0; i < kMethods; ++i)
    image.row(Table::method_debug_information, {cell::row(Table::document, 1), cell::blob(blob)});
  const auto bytes = image.assemble().finish();
  const auto pdb = Pdb::open(bytes);
  ASSERT_TRUE(pdb);
  std::uint64_t points = 0;
  const auto walked = pdb->for_each_method([&](std::uint32_t, SequencePoints& each) {
    for (SequencePoint p; each.next(p);) ++points;
  });
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().field, "ppdb.method.points");
  EXPECT_LT(points, 20'000u * 500);
}

TEST(Pdb, DocumentsThatShareALongNameAreRefused) {
  testkit::MetadataImage image;
  namespace cell = testkit::cell;
  image.pdb_id = std::vector<std::byte>(20);
  const std::uint32_t part = image.blob(std::vector<std::byte>(20'000, std::byte{'n'}));
  Section parts;
  testkit::put_number(parts.u8('/'), part);
  const std::uint32_t name = image.blob(parts.finish());
  const auto documents_of = [&](std::uint32_t count) {
    testkit::MetadataImage many = image;
    for (std::uint32_t i = 0; i < count; ++i)
      many.row(Table::document, {cell::blob(name), cell::guid(0), cell::blob(0), cell::guid(0)});
    const auto bytes = many.assemble().finish();
    const auto pdb = Pdb::open(bytes);
    const auto documents = pdb ? pdb->documents() : std::unexpected(pdb.error());
    return documents ? std::string() : std::string(documents.error().field);
  };
  EXPECT_EQ(documents_of(100), "");
  EXPECT_EQ(documents_of(200), "ppdb.documents.names") << "64 times the heap of 20 KB, and 1 MiB";
}

TEST(Pdb, MoreDocumentsThanAnyProgramHasAreRefused) {
  const auto out = assemble(PortablePdb{.documents = {{.name = "a.cs"}}});
  auto bytes = out.finish();
  constexpr std::uint32_t kCount = kMaxDocuments + 1;
  patch(bytes, out.at("row_counts"), u32le(kCount));
  patch(bytes, out.at("header #~"), u32le(static_cast<std::uint32_t>(bytes.size())));
  patch(bytes, out.at("header #~") + 4, u32le(36 + kCount * 8));
  const Bytes tables = Bytes(bytes).subspan(out.at("#~"), 36);
  const std::vector<std::byte> copy(tables.begin(), tables.end());
  bytes.insert(bytes.end(), copy.begin(), copy.end());
  bytes.resize(bytes.size() + std::size_t{kCount} * 8);
  const auto pdb = Pdb::open(bytes);
  ASSERT_TRUE(pdb) << to_string(pdb.error());
  EXPECT_EQ(pdb->documents().error().field, "ppdb.documents");
}

TEST(Pdb, MetadataOfAnAssemblyIsNone) {
  testkit::MetadataImage image;
  image.row(Table::module_ref, {testkit::cell::string(0)});
  const auto bytes = image.assemble().finish();
  EXPECT_TRUE(Metadata::open(bytes));
  EXPECT_EQ(Pdb::open(bytes).error().kind, ReadError::Kind::unsupported);
}

TEST(Pdb, EveryCutIsRefused) {
  const auto bytes = assemble(rich_pdb_spec()).finish();
  bool whole = false;
  testkit::walk_everything(*Pdb::open(bytes), whole);
  EXPECT_TRUE(whole);
  for (std::size_t n = 0; n + 4 < bytes.size(); ++n) {
    const Exact cut(Bytes(bytes).first(n));
    EXPECT_FALSE(Pdb::open(cut.bytes())) << n << " bytes";
  }
}

TEST(Pdb, EveryDamagedBitIsSurvived) {
  const auto bytes = assemble(rich_pdb_spec()).finish();
  std::uint64_t total = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    const Exact exact(damaged);
    bool whole = false;
    if (const auto pdb = Pdb::open(exact.bytes())) total += testkit::walk_everything(*pdb, whole);
  }
  EXPECT_GT(total, 0u);
}

}  // namespace
}  // namespace symcached::ppdb
