#include "base/inflate_to.hpp"

#include <gtest/gtest.h>

#include <string>

#include "testing/packed/files.hpp"

namespace symcached {
namespace {

using Packed = std::vector<std::byte>;

std::string sample(std::size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i) text += "line " + std::to_string(i * 7919 % 1000) + ", ";
  text.resize(size);
  return text;
}

Packed pack(Codec codec, std::string_view text) {
  switch (codec) {
    case Codec::zlib: return testkit::zlib_file(as_bytes(text));
    case Codec::zstd: return testkit::zstd_file(as_bytes(text));
    case Codec::xz: return testkit::xz_file(as_bytes(text));
    default: return testkit::gzipped(as_bytes(text));
  }
}

Packed joined(Packed a, const Packed& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The plain bytes, or why there are none.
std::string unpack(Codec codec, Bytes packed, std::uint64_t limit = 1u << 30) {
  std::string plain;
  const auto done = inflate_to(codec, packed, limit, [&](Bytes piece) -> std::expected<void, std::string> {
    plain += as_text(piece);
    return {};
  });
  return done ? plain : "error: " + done.error().why;
}

constexpr Codec kAll[] = {Codec::gzip, Codec::zlib, Codec::zstd, Codec::xz};

TEST(InflateTo, GivesWhatWasPacked) {
  for (const Codec codec : kAll)
    for (const std::size_t size : {0uz, 1uz, 1000uz, 262143uz, 262144uz, 262145uz, 3'000'000uz}) {
      const std::string text = sample(size);
      EXPECT_TRUE(unpack(codec, pack(codec, text)) == text) << name_of(codec) << " " << size;
    }
}

TEST(InflateTo, JoinsMembersFramesAndStreams) {
  for (const Codec codec : {Codec::gzip, Codec::zstd, Codec::xz})
    for (const std::size_t size : {0uz, 5uz, 100'000uz, 262'144uz}) {
      const std::string text = sample(size);
      const Packed all = joined(joined(pack(codec, text), pack(codec, "")), pack(codec, "more"));
      EXPECT_TRUE(unpack(codec, all) == text + "more") << name_of(codec) << " " << size;
    }
}

TEST(InflateTo, LooksAtWhatFollows) {
  EXPECT_EQ(unpack(Codec::gzip, joined(pack(Codec::gzip, "x"), Packed(40))), "x");
  for (const Codec codec : kAll) {
    const Packed followed = joined(pack(codec, "x"), Packed(40, std::byte{7}));
    EXPECT_TRUE(unpack(codec, followed).starts_with("error: ")) << name_of(codec);
  }
}

TEST(InflateTo, EveryCutAndEveryLimitIsAnError) {
  const std::string text = sample(700);
  for (const Codec codec : kAll) {
    const Packed packed = pack(codec, text);
    for (std::size_t n = 0; n < packed.size(); ++n)
      EXPECT_TRUE(unpack(codec, Bytes(packed).first(n)).starts_with("error: ")) << name_of(codec) << " " << n;
    EXPECT_EQ(unpack(codec, packed, 699), "error: decompresses to more than the limit of 699 bytes") << name_of(codec);
    EXPECT_EQ(unpack(codec, packed, 700), text) << name_of(codec);
  }
}

TEST(InflateTo, ChecksumsCount) {
  const std::string text = sample(5000);
  for (const Codec codec : {Codec::gzip, Codec::zlib}) {
    Packed packed = pack(codec, text);
    packed[packed.size() - (codec == Codec::gzip ? 8 : 4)] ^= std::byte{1};
    EXPECT_TRUE(unpack(codec, packed).starts_with("error: ")) << name_of(codec);
  }
}

TEST(InflateTo, AFaultOfTheSinkIsTold) {
  for (const Codec codec : kAll) {
    const auto done = inflate_to(codec, pack(codec, "x"), 100, [](Bytes) -> std::expected<void, std::string> {
      return std::unexpected("disk full");
    });
    ASSERT_FALSE(done);
    EXPECT_TRUE(done.error().by_sink) << name_of(codec);
    EXPECT_EQ(done.error().why, "disk full") << name_of(codec);
  }
}

}  // namespace
}  // namespace symcached
