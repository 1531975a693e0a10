#include "formats/ppdb/checksum.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "testing/managed/dotnet_files.hpp"
#include "testing/managed/portable_pdb.hpp"

namespace symcached::ppdb {
namespace {

TEST(Checksum, RealPdbsAreThoseTheirAssembliesWereBuiltWith) {
  for (const std::string_view variant : testkit::kDotnetVariants) {
    const std::string assembly = testkit::dotnet_file(variant, "Traces.dll");
    const auto image = pe::Image::open(as_bytes(assembly));
    const auto files = pe::debug_files(image.value());
    ASSERT_TRUE(files && files->checksums.size() == 1) << variant;
    const pe::PdbChecksum& stated = files->checksums[0];
    std::string file = testkit::dotnet_pdb(variant);
    EXPECT_EQ(verify_checksum(Pdb::open(as_bytes(file)).value(), stated.algorithm, stated.digest),
              ChecksumResult::equal)
        << variant;
    const auto pdb = Pdb::open(as_bytes(file));
    file[pdb->metadata().offset_of(pdb->metadata().pdb_stream())] ^= 1;
    EXPECT_EQ(verify_checksum(Pdb::open(as_bytes(file)).value(), stated.algorithm, stated.digest),
              ChecksumResult::equal)
        << variant << ": the id does not count";
    file.back() ^= 1;
    EXPECT_EQ(verify_checksum(Pdb::open(as_bytes(file)).value(), stated.algorithm, stated.digest),
              ChecksumResult::different)
        << variant;
  }
}

TEST(Checksum, AlgorithmsAreKnownByName) {
  const auto bytes = testkit::assemble(testkit::PortablePdb{}).finish();
  const auto pdb = Pdb::open(bytes);
  ASSERT_TRUE(pdb) << to_string(pdb.error());
  struct Row {
    std::string_view name, digest;  ///< by sha1sum and its like, of the bytes with a zero id
  };
  const Row rows[] = {
      {"SHA1", "383dc3fff69d15d2d2d3d3f961b10665dc8340e5"},
      {"SHA256", "fdb72c8faa80280a3879e2fa6ce299f97376b322fe0b07fef465abe20ff8e949"},
      {"SHA384", "00e1175665ac15c2c97e51c02fd498054ef84bc04e95ac07c55e5ac3da019bd91586f2af7d31e53a4523fbdf57dac6c7"},
      {"SHA512",
       "a4a52ddc224c245e86fa66988e15879457c96dfcff29f0c68fcce9b6c554e7ba17a18dbc6d82dc0accb98437b556303715bec2ef2f30312"
       "12e3a2e8819db2fb7"},
  };
  for (const Row& r : rows) {
    const std::vector<std::byte> digest = parse_hex(r.digest).value();
    EXPECT_EQ(verify_checksum(*pdb, r.name, digest), ChecksumResult::equal) << r.name;
    EXPECT_EQ(verify_checksum(*pdb, r.name, Bytes(digest).first(digest.size() - 1)), ChecksumResult::other_size);
    EXPECT_EQ(verify_checksum(*pdb, r.name, {}), ChecksumResult::other_size) << r.name;
  }
  for (const std::string_view other : {"", "sha256", "SHA-256", "MD5", "SHA256 "})
    EXPECT_EQ(verify_checksum(*pdb, other, {}), ChecksumResult::unknown_algorithm) << other;
}

}  // namespace
}  // namespace symcached::ppdb
