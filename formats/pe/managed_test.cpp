#include "formats/pe/managed.hpp"

#include <gtest/gtest.h>

#include "testing/pe/image.hpp"

namespace symcached::pe {
namespace {

using testkit::assemble;
using testkit::cli_header_of;
using testkit::kPeExtraRva;
using testkit::managed_image;
using testkit::PeImage;
using testkit::Section;

TEST(PeManaged, HeaderAndMetadata) {
  const auto bytes = assemble(managed_image()).finish();
  const auto image = Image::open(bytes);
  const auto header = cli_header(*image);
  ASSERT_TRUE(header && *header);
  EXPECT_EQ((*header)->flags, kCliIlOnly);
  EXPECT_EQ((*header)->entry_point, 0x06000001u);
  const auto found = metadata(*image);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(as_text(**found).substr(0, 5), "BSJB\a");

  const auto plain = assemble(PeImage{}).finish();
  EXPECT_FALSE(*cli_header(*Image::open(plain)));
  EXPECT_FALSE(*metadata(*Image::open(plain)));
}

TEST(PeManaged, TheDebugDirectoryTellsOfPdbs) {
  const auto bytes = assemble(managed_image()).finish();
  const auto image = Image::open(bytes);
  const auto files = debug_files(*image);
  ASSERT_TRUE(files) << to_string(files.error());
  ASSERT_EQ(files->code_views.size(), 2u);
  EXPECT_FALSE(files->code_views[0].portable) << "the precompiled code's";
  ASSERT_EQ(files->portable(), &files->code_views[1]);
  EXPECT_EQ(files->portable()->debug_id().dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10-cafef00d");
  ASSERT_EQ(files->checksums.size(), 2u);
  EXPECT_EQ(files->checksums[1].algorithm, "SHA384");
  EXPECT_EQ(files->checksums[1].digest.size(), 48u);
  ASSERT_TRUE(files->embedded);
  const auto pdb = unpack(*files->embedded);
  ASSERT_TRUE(pdb);
  EXPECT_EQ(as_text(pdb->bytes()), std::string(16, 'a'));

  const auto plain = assemble(PeImage{}).finish();
  const auto none = debug_files(*Image::open(plain));
  EXPECT_EQ(none->portable(), nullptr);
  EXPECT_FALSE(none->embedded);
}

TEST(PeManaged, WrongEntriesAreNamed) {
  struct Row {
    std::string_view why;
    DebugType type;
    std::vector<std::byte> data;
    std::string_view field;
  };
  const auto embedded = [](std::uint32_t size) {
    return Section().text("MPDB").u32(size).u8(0x4B).u32_big(0x4C440500);
  };
  constexpr DebugType kEmbedded = DebugType::embedded_portable_pdb;
  const Row rows[] = {
      {"no name", DebugType::pdb_checksum, {}, "pe.pdb_checksum.algorithm"},
      {"a name without end", DebugType::pdb_checksum, Section().text("SHA256").finish(), "pe.pdb_checksum.algorithm"},
      {"nothing embedded", kEmbedded, {}, "pe.embedded_pdb"},
      {"cut in the size", kEmbedded, Section().text("MPDB").u8(1).finish(), "pe.embedded_pdb"},
      {"another signature", kEmbedded, Section().text("MPDC").u32(1).finish(), "pe.embedded_pdb.signature"},
      {"a size of 0", kEmbedded, embedded(0).finish(), "pe.embedded_pdb.size"},
      {"a bit for other formats", kEmbedded, embedded(0x80000010).finish(), "pe.embedded_pdb"},
      {"a bomb", kEmbedded, embedded(100'000).finish(), "pe.embedded_pdb"},
      {"more than stated", kEmbedded, embedded(15).finish(), "pe.embedded_pdb"},
      {"less than stated", kEmbedded, embedded(17).finish(), "pe.embedded_pdb"},
  };
  for (const Row& r : rows) {
    const auto bytes = assemble(PeImage{.debug = {{.type = r.type, .data = r.data}}}).finish();
    const auto files = debug_files(*Image::open(bytes));
    const ReadError error = files ? unpack(files->embedded.value()).error() : files.error();
    EXPECT_EQ(error.field, r.field) << r.why;
  }
}

TEST(PeManaged, ABombIsRefusedBeforeItIsUnpacked) {
  const std::vector<std::byte> packed(200'000);
  struct Row {
    std::uint32_t size;
    ReadError::Kind want;
  };
  for (const Row& r :
       {Row{kFreeEmbeddedPdb, ReadError::Kind::bad_value},  // no stream of deflate
        Row{20'000'000, ReadError::Kind::bad_value}, Row{20'000'001, ReadError::Kind::too_large},
        Row{200u << 20, ReadError::Kind::too_large}, Row{kMaxEmbeddedPdb + 1, ReadError::Kind::too_large}}) {
    const auto got = unpack(EmbeddedPdb{r.size, packed});
    ASSERT_FALSE(got) << r.size;
    EXPECT_EQ(got.error().kind, r.want) << r.size;
    EXPECT_EQ(got.error().field, "pe.embedded_pdb");
  }
}

TEST(PeManaged, WrongHeadersAreNamed) {
  struct Row {
    std::string_view why;
    std::uint32_t cli_rva;
    std::uint32_t metadata_size;
    std::string_view field;
  };
  const Row rows[] = {
      {"a header in no section", 0x900000, 8, "pe.cli_header"},
      {"a header that is cut", kPeExtraRva + 72, 8, "pe.cli_header"},
      {"metadata behind the section", kPeExtraRva, 9, "pe.metadata"},
      {"metadata without end", kPeExtraRva, 0xFFFFFFFF, "pe.metadata"},
  };
  for (const Row& r : rows) {
    PeImage spec = managed_image();
    spec.cli_rva = r.cli_rva;
    spec.extra[0].data = cli_header_of(r.metadata_size).u64(0).finish();
    const auto bytes = assemble(spec).finish();
    const auto found = metadata(*Image::open(bytes));
    ASSERT_FALSE(found) << r.why;
    EXPECT_EQ(found.error().field, r.field) << r.why;
  }
}

}  // namespace
}  // namespace symcached::pe
