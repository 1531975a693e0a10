#include "fetch/unpack.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/descriptor.hpp"
#include "testing/packed/files.hpp"
#include "testing/server/fake_pdb.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::fetch {
namespace {

struct Unpacked {
  std::string content;
  std::string error;
};

Unpacked unpack_cabinet(const TempFolder& folder, std::string_view before, std::string_view cabinet,
                        Limits limits = {}) {
  folder.write("input", std::string(before) + std::string(cabinet));
  const Descriptor file(::open((folder.path() / "input").c_str(), O_RDONLY | O_CLOEXEC));
  Unpacked unpacked;
  const auto done = unpack(Wrapper::cabinet, file.get(), before.size(), limits, [&](Bytes piece) {
    unpacked.content += as_text(piece);
    return std::expected<void, std::string>();
  });
  if (!done) unpacked.error = done.error().why;
  return unpacked;
}

class Cabinet : public ::testing::Test {
 protected:
  std::string cabinet_of(const std::vector<std::string>& members) {
    const auto made = make_cabinet(folder_, members);
    return made.value_or("");
  }
  void SetUp() override {
    one_ = cabinet_of({content_});
    if (one_.empty()) GTEST_SKIP() << "gcab is not installed";
  }
  TempFolder folder_;
  const std::string content_ = fake_pdb(std::string(300'000, 'x') + "end");
  std::string one_;
};

TEST_F(Cabinet, UnpacksItsMemberFromAnyOffset) {
  EXPECT_EQ(unpack_cabinet(folder_, "", one_).content, content_);
  EXPECT_EQ(unpack_cabinet(folder_, std::string(4096, '#'), one_).content, content_);
}

TEST_F(Cabinet, RefusesWhatItShould) {
  const std::string two = cabinet_of({"a", "b"});
  Limits small;
  small.max_unpacked = 1000;
  std::string broken = one_;
  broken[broken.size() - 5] = static_cast<char>(~broken[broken.size() - 5]);
  struct Row {
    std::string_view why;
    std::string cabinet;
    Limits limits;
    std::string_view error;
  };
  const Row rows[] = {
      {"two members", two, {}, "more than one member"},
      {"over the limit", one_, small, "over the limit of 1000"},
      {"cut short", one_.substr(0, one_.size() - 10), {}, "cabinet: truncated"},
      {"no cabinet", "MSCF and no more", {}, "cabinet: "},
      {"a flipped byte", broken, {}, "cabinet: "},
  };
  for (const Row& r : rows) {
    const Unpacked unpacked = unpack_cabinet(folder_, "", r.cabinet, r.limits);
    EXPECT_NE(unpacked.error.find(r.error), std::string::npos) << r.why << ": " << unpacked.error;
  }
}

TEST_F(Cabinet, EveryCutIsRefused) {
  for (std::size_t n = 0; n < one_.size(); n += 7)
    EXPECT_NE(unpack_cabinet(folder_, "", one_.substr(0, n)).error, "") << n;
}

TEST_F(Cabinet, ARatioOfABombIsRefused) {
  const std::string bomb = cabinet_of({std::string(80 << 20, '\0')});
  Limits limits;
  limits.max_ratio = 10;
  EXPECT_NE(unpack_cabinet(folder_, "", bomb, limits).error.find("limit of 1:10"), std::string::npos);
}

using Packed = std::vector<std::byte>;

Packed zip_of(const std::vector<testkit::ZipInput>& members) { return testkit::zip_file(members); }

/// The plain bytes, or why there are none.
std::string unpacked(Wrapper wrapper, Bytes packed, const Limits& limits = {}) {
  std::string plain;
  const auto done = unpack(wrapper, packed, limits, [&](Bytes piece) -> std::expected<void, std::string> {
    plain += as_text(piece);
    return {};
  });
  return done ? plain : "error: " + done.error().why;
}

struct PackedRow {
  Wrapper wrapper;
  Packed packed;
};

std::vector<PackedRow> packed_in_every_way(std::string_view plain) {
  const Bytes bytes = as_bytes(plain);
  const Packed own(bytes.begin(), bytes.end());
  return {
      {Wrapper::cabinet, testkit::cabinet_file({{"f.pdb", own}})},
      {Wrapper::gzip, testkit::gzipped(bytes)},
      {Wrapper::zlib, testkit::zlib_file(bytes)},
      {Wrapper::zstd, testkit::zstd_file(bytes)},
      {Wrapper::xz, testkit::xz_file(bytes)},
      {Wrapper::zip, zip_of({{.name = "f.pdb", .bytes = own, .deflated = true}})},
      {Wrapper::szdd, testkit::szdd_file(bytes)},
      {Wrapper::kwaj, testkit::kwaj_file(bytes)},
  };
}

TEST(Unpack, KnowsEveryWrapperAndTakesItOff) {
  for (const std::string& plain : {std::string("x"), std::string(30'000, 'y') + "end"})
    for (const auto& [wrapper, packed] : packed_in_every_way(plain)) {
      EXPECT_EQ(wrapper_of(Bytes(packed).first(kWrapperStart), sources::FileType::pdb), wrapper) << name_of(wrapper);
      EXPECT_TRUE(unpacked(wrapper, packed) == plain) << name_of(wrapper) << ": " << unpacked(wrapper, packed);
    }
}

TEST(Unpack, WhatOnlyLooksPackedStaysAsItIs) {
  using sources::FileType;
  using namespace std::string_view_literals;
  struct Row {
    std::string_view why, start;
    FileType wanted;
    std::optional<Wrapper> want;
  };
  const Row rows[] = {
      {"a source bundle is a zip", "PK\3\4\x14\0\0\0"sv, FileType::source_bundle, std::nullopt},
      {"a bundle in gzip is packed", "\x1f\x8b\x08\0\0\0\0\0"sv, FileType::source_bundle, Wrapper::gzip},
      {"an executable with 78 9c within", "MZ\x78\x9c\0\0\0\0"sv, FileType::pe, std::nullopt},
      {"78 and no header of zlib", "\x78\x9d\0\0\0\0\0\0"sv, FileType::pe, std::nullopt},
      {"zlib with a dictionary", "\x78\x20\0\0\0\0\0\0"sv, FileType::pdb, std::nullopt},
      {"gzip of another method", "\x1f\x8b\x07\0\0\0\0\0"sv, FileType::pdb, std::nullopt},
      {"a cabinet's name alone", "MSCF text"sv, FileType::breakpad, std::nullopt},
      {"text", "MODULE L"sv, FileType::breakpad, std::nullopt},
      {"nothing", "", FileType::pdb, std::nullopt},
      {"one byte", "\x78", FileType::pdb, std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(wrapper_of(as_bytes(r.start), r.wanted), r.want) << r.why;
}

TEST(Unpack, EveryCutIsRefused) {
  for (const auto& [wrapper, packed] : packed_in_every_way("some text that is long enough to be packed, packed")) {
    if (wrapper == Wrapper::szdd || wrapper == Wrapper::kwaj) continue;  // have no end and no checksum
    for (std::size_t n = 0; n < packed.size(); ++n)
      EXPECT_TRUE(unpacked(wrapper, Bytes(packed).first(n)).starts_with("error: ")) << name_of(wrapper) << " " << n;
  }
}

TEST(Unpack, LimitsHoldForAllOfThem) {
  Limits small;
  small.max_unpacked = 29'999;
  Limits wary;
  wary.max_ratio = 2;
  for (const auto& [wrapper, packed] : packed_in_every_way(std::string(30'000, 'y'))) {
    const std::string why = unpacked(wrapper, packed, small);
    EXPECT_TRUE(why.starts_with("error: " + std::string(name_of(wrapper)) + ": ")) << why;
  }
  const std::string bomb(65 << 20, '\0');
  const Packed zip = zip_of({{.name = "a", .bytes = testkit::to_bytes(bomb), .deflated = true}});
  EXPECT_TRUE(unpacked(Wrapper::zip, zip, wary).ends_with("over the ratio limit of 1:2"));
  EXPECT_TRUE(
      unpacked(Wrapper::zstd, testkit::zstd_file(as_bytes(bomb)), wary).ends_with("the limit of 67108864 bytes"));
}

TEST(Unpack, AnArchiveHasOneFile) {
  const Packed one = testkit::to_bytes("one");
  struct Row {
    std::string_view why;
    Wrapper wrapper;
    Packed packed;
    std::string_view want;
  };
  const Row rows[] = {
      {"two in a zip", Wrapper::zip, zip_of({{"a", one}, {"b", one}}), "error: zip: more than one member"},
      {"folders do not count", Wrapper::zip, zip_of({{"a/", {}}, {"a/b", one}}), "one"},
      {"none in a zip", Wrapper::zip, zip_of({}), "error: zip: the archive is empty"},
      {"a zip's wrong checksum", Wrapper::zip, zip_of({{.name = "a", .bytes = one, .wrong_checksum = true}}),
       "error: zip: CRC error"},
      {"two in a cabinet", Wrapper::cabinet, testkit::cabinet_file({{"a", one}, {"b", one}}),
       "error: cabinet: more than one member"},
      {"a cabinet of a set", Wrapper::cabinet, testkit::cabinet_file({{"a", one}}, 2),
       "error: cabinet: part of a multi-cabinet set"},
  };
  for (const Row& r : rows) EXPECT_EQ(unpacked(r.wrapper, r.packed), r.want) << r.why;
}

TEST(Unpack, TheOutermostBytesCount) {
  Limits limits;
  limits.max_ratio = 100;
  EXPECT_EQ(allowed_from(1, limits), std::uint64_t{64} << 20);
  EXPECT_EQ(allowed_from(1 << 20, limits), std::uint64_t{100} << 20);
  limits.max_unpacked = 1000;
  EXPECT_EQ(allowed_from(1 << 20, limits), 1000u);
}

TEST(UnpackFuzzCorpus, IsWhatThisTestPacks) {
  const auto rows = packed_in_every_way("plain text, plain text, plain text");
  std::vector<std::string> names;
  for (const PackedRow& row : rows) names.push_back(std::string(name_of(row.wrapper)) + ".bin");
  std::vector<testkit::StoredInput> inputs;
  for (std::size_t i = 0; i < rows.size(); ++i) inputs.push_back({names[i], rows[i].packed});
  testkit::expect_stored("fetch/fuzz_corpus/unpack_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::fetch
