#include "base/mspack.hpp"

#include <gtest/gtest.h>

#include "testing/packed/files.hpp"

namespace symcached::mspack {
namespace {

using testkit::to_bytes;

struct Collector {
  std::string text;
  ByteSink sink() {
    return [this](Bytes piece) {
      text += as_text(piece);
      return std::expected<void, std::string>();
    };
  }
};

TEST(MspackCabinet, MembersInAnyOrder) {
  const std::string large(100'000, 'x');
  const auto file = testkit::cabinet_file({{"a.txt", to_bytes("first")}, {"b", to_bytes(large)}, {"c", {}}});
  auto cabinet = Cabinet::open(file);
  ASSERT_TRUE(cabinet);
  EXPECT_FALSE(cabinet->is_part_of_set());
  ASSERT_EQ(cabinet->members().size(), 3u);
  EXPECT_EQ(cabinet->members()[0].name, "a.txt");
  EXPECT_EQ(cabinet->members()[1].size, large.size());
  EXPECT_EQ(cabinet->members()[1].offset, 5u);
  const std::string want[] = {"first", large, ""};
  for (const std::size_t member : {1, 0, 1, 2, 0}) {
    Collector all;
    ASSERT_TRUE(cabinet->extract(member, all.sink())) << member;
    EXPECT_EQ(all.text, want[member]);
  }
}

TEST(MspackCabinet, TheSinksErrorIsPassedOn) {
  const auto file = testkit::cabinet_file({{"a", to_bytes("first")}});
  auto cabinet = Cabinet::open(file);
  ASSERT_TRUE(cabinet);
  const auto done = cabinet->extract(0, [](Bytes) { return std::unexpected(std::string("the disk is full")); });
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().by_sink);
  EXPECT_EQ(done.error().why, "the disk is full");
  Collector all;
  EXPECT_TRUE(cabinet->extract(0, all.sink())) << "the cabinet can still be read";
}

TEST(MspackCabinet, SetsAreTold) {
  const auto file = testkit::cabinet_file({{"a", to_bytes("first")}}, 2);
  auto cabinet = Cabinet::open(file);
  ASSERT_TRUE(cabinet);
  EXPECT_TRUE(cabinet->is_part_of_set());
}

TEST(MspackCabinet, EveryCutIsRefused) {
  const auto whole = testkit::cabinet_file({{"a", to_bytes("first")}});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    auto cabinet = Cabinet::open(cut);
    if (!cabinet || cabinet->members().empty()) continue;
    Collector all;
    EXPECT_FALSE(cabinet->extract(0, all.sink())) << n << " bytes";
  }
}

TEST(MspackSingleFile, BothFormatsAndTheLimit) {
  const auto plain = to_bytes("0123456789abcdefghij");
  struct Row {
    SingleFile format;
    std::vector<std::byte> file;
  };
  const Row rows[] = {{SingleFile::szdd, testkit::szdd_file(plain)}, {SingleFile::kwaj, testkit::kwaj_file(plain)}};
  for (const Row& r : rows) {
    Collector all;
    ASSERT_TRUE(expand(r.format, r.file, plain.size(), all.sink()));
    EXPECT_EQ(all.text, as_text(plain));
    const auto too_much = expand(r.format, r.file, plain.size() - 1, all.sink());
    ASSERT_FALSE(too_much);
    EXPECT_EQ(too_much.error().why, "decompresses to more than allowed");
    EXPECT_FALSE(expand(r.format, Bytes(r.file).first(7), 100, all.sink())) << "a header cut short";
    EXPECT_FALSE(expand(r.format, plain, 100, all.sink())) << "no such file";
  }
}

}  // namespace
}  // namespace symcached::mspack
