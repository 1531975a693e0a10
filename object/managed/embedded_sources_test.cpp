#include "object/managed/embedded_sources.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <openssl/sha.h>

#include "testing/managed/dotnet_files.hpp"
#include "testing/managed/portable_pdb.hpp"

namespace symcached::object {
namespace {

using testkit::PdbDocumentSpec;
using testkit::PortablePdb;
using testkit::Section;

/// A text as a document's blob holds it, deflated.
std::vector<std::byte> deflated(std::uint32_t stated, const std::string& text) {
  libdeflate_compressor* const with = libdeflate_alloc_compressor(9);
  std::vector<std::byte> packed(libdeflate_deflate_compress_bound(with, text.size()));
  packed.resize(libdeflate_deflate_compress(with, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(with);
  return Section().u32(stated).bytes(packed).finish();
}
std::vector<std::byte> stored(std::string_view text) { return Section().u32(0).text(text).finish(); }

TEST(EmbeddedSources, AreTheSourcesOfARealPdb) {
  const std::string file = testkit::dotnet_pdb("sources");
  const auto pdb = ppdb::Pdb::open(as_bytes(file));
  ASSERT_TRUE(pdb);
  const auto sources = EmbeddedSources::open(*pdb);
  ASSERT_TRUE(sources);
  int hashed = 0, compared = 0;
  const auto documents = pdb->documents().value();
  for (const ppdb::Document& document : documents) {
    const auto source = sources->source(document.name);
    ASSERT_TRUE(source && *source) << document.name;
    const Bytes text = (*source)->bytes();
    ASSERT_EQ(document.hash_algorithm, ppdb::HashAlgorithm::sha256);
    std::byte hash[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), reinterpret_cast<unsigned char*>(hash));
    EXPECT_TRUE(std::ranges::equal(document.hash, hash)) << document.name;
    ++hashed;
    if (document.name.find("/obj/") != std::string::npos) continue;  // the compiler's own
    EXPECT_EQ(as_text(text), testkit::dotnet_file("", document.name.substr(1)));
    ++compared;
  }
  EXPECT_EQ(hashed, 7);
  EXPECT_EQ(compared, 5);
}

TEST(EmbeddedSources, AreFoundByTheirPaths) {
  const auto bytes = assemble(PortablePdb{.documents =
                                              {
                                                  {.name = "C:\\src\\A.cs", .embedded = stored("upper")},
                                                  {.name = "C:\\src\\a.cs", .embedded = stored("lower")},
                                                  {.name = "/src/b.cs"},
                                                  {.name = "/src/c.cs", .embedded = stored("first")},
                                                  {.name = "/src/c.cs", .embedded = stored("second")},
                                                  {.name = "", .embedded = stored("nameless")},
                                              }})
                         .finish();
  const auto pdb = ppdb::Pdb::open(bytes);
  ASSERT_TRUE(pdb);
  const auto sources = EmbeddedSources::open(*pdb);
  ASSERT_TRUE(sources);
  struct Row {
    std::string_view why, path;
    std::uint32_t document;
    std::string_view want;
  };
  const Row rows[] = {
      {"exactly", "C:\\src\\A.cs", 1, "upper"},
      {"exactly, though another is like it", "C:\\src\\a.cs", 2, "lower"},
      {"of those that are like it the first", "c:/SRC/a.cs", 1, "upper"},
      {"other slashes", "\\src/C.CS", 4, "first"},
      {"of the same path the first", "/src/c.cs", 4, "first"},
      {"a document without source", "/src/b.cs", 3, "-"},
      {"no document", "/src/d.cs", 0, "-"},
      {"only its start", "/src/c", 0, "-"},
      {"behind all", "~", 0, "-"},
      {"no name", "", 6, "nameless"},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(sources->document(r.path).value_or(0), r.document) << r.why;
    const auto source = sources->source(r.path), alone = embedded_source_of(*pdb, r.path);
    ASSERT_TRUE(source && alone) << r.why;
    EXPECT_EQ(*source ? as_text((*source)->bytes()) : "-", r.want) << r.why;
    EXPECT_EQ(*alone ? as_text((*alone)->bytes()) : "-", r.want) << r.why;
  }
}

TEST(EmbeddedSources, BombsAreRefused) {
  const std::string zeros(8u << 20, '\0');
  const auto honest = static_cast<std::uint32_t>(zeros.size());
  using Kind = ReadError::Kind;
  struct Row {
    std::string_view why;
    std::vector<std::byte> blob;
    std::optional<Kind> want;
  };
  const Row rows[] = {
      {"as stated", deflated(honest, zeros), std::nullopt},
      {"one more than stated", deflated(honest - 1, zeros), Kind::too_large},
      {"a thousand times what is stated", deflated(honest / 1000, zeros), Kind::too_large},
      {"fewer than stated", deflated(honest + 1, zeros), Kind::bad_value},
      {"stated more than the stream could give", deflated(ppdb::kMaxEmbeddedSource, "x"), Kind::too_large},
      {"stated more than we take", deflated(ppdb::kMaxEmbeddedSource + 1, zeros), Kind::too_large},
      {"stated below 0", deflated(0x80000000, zeros), Kind::unsupported},
      {"no stream", Section().u32(16).u32(0xFFFFFFFF).finish(), Kind::bad_value},
  };
  for (const Row& r : rows) {
    const auto bytes = assemble(PortablePdb{.documents = {{.name = "a.cs", .embedded = r.blob}}}).finish();
    const auto pdb = ppdb::Pdb::open(bytes);
    ASSERT_TRUE(pdb);
    const auto source = embedded_source_of(*pdb, "a.cs");
    ASSERT_EQ(source.has_value(), !r.want) << r.why;
    if (r.want) {
      EXPECT_EQ(source.error().kind, *r.want) << r.why;
      EXPECT_NE(source.error().field.find("ppdb.embedded_source"), std::string_view::npos) << r.why;
    } else {
      EXPECT_EQ((*source)->size(), zeros.size()) << r.why;
    }
  }
}

TEST(EmbeddedSources, DocumentsThatCannotBeReadAreAnError) {
  testkit::MetadataImage image;
  image.pdb_id = std::vector<std::byte>(20);
  namespace cell = testkit::cell;
  image.row(ppdb::Table::document, {cell::blob(0x7FFF), cell::guid(0), cell::blob(0), cell::guid(0)});
  const auto bytes = image.assemble().finish();
  const auto pdb = ppdb::Pdb::open(bytes);
  ASSERT_TRUE(pdb);
  EXPECT_FALSE(embedded_source_of(*pdb, "a.cs"));
}

}  // namespace
}  // namespace symcached::object
