#include "base/inflate_stream.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zstd.h>

#include <string>
#include <vector>

namespace symcached {
namespace {

constexpr std::string_view kField = "test.data";

std::string sample(std::size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i) text += "unit " + std::to_string(i * 7919u % 1000) + "; ";
  text.resize(size);
  return text;
}

using Data = std::vector<std::byte>;

Data pack(Codec codec, std::string_view text) {
  if (codec == Codec::zstd) {
    Data out(ZSTD_compressBound(text.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }
  libdeflate_compressor* with = libdeflate_alloc_compressor(6);
  Data out(libdeflate_zlib_compress_bound(with, text.size()));
  out.resize(libdeflate_zlib_compress(with, text.data(), text.size(), out.data(), out.size()));
  libdeflate_free_compressor(with);
  return out;
}

constexpr Codec kBoth[] = {Codec::zlib, Codec::zstd};

/// All of it, in pieces of `piece` bytes.
Read<std::string> read_all(const Compressed& from, std::size_t piece) {
  SC_TRY(auto stream, InflateStream::open(from, kField));
  std::string text;
  while (stream.left() != 0) {
    const std::size_t at = text.size(), n = std::min<std::size_t>(piece, stream.left());
    text.resize(at + n);
    if (auto ok = stream.read(std::as_writable_bytes(std::span(text).subspan(at))); !ok)
      return std::unexpected(ok.error());
  }
  return text;
}

TEST(InflateStream, GivesWhatWasCompressedInPiecesOfAnySize) {
  for (const Codec codec : kBoth)
    for (const std::size_t size : {1uz, 1000uz, 500000uz}) {
      const std::string text = sample(size);
      const Data data = pack(codec, text);
      for (const std::size_t piece : {1uz, 12uz, 4096uz, 32768uz, 100000uz, 500000uz}) {
        if (size / piece > 50000) continue;
        const auto got = read_all({codec, data, size}, piece);
        ASSERT_TRUE(got) << name_of(codec) << " " << size << " by " << piece << ": " << to_string(got.error());
        EXPECT_EQ(*got, text) << name_of(codec) << " " << size << " by " << piece;
      }
    }
}

TEST(InflateStream, GoesFromFrameToFrame) {
  const std::string text = sample(5000);
  Data data = pack(Codec::zstd, text);
  const Data second = pack(Codec::zstd, text);
  data.insert(data.end(), second.begin(), second.end());
  const auto got = read_all({Codec::zstd, data, 10000}, 777);
  ASSERT_TRUE(got) << to_string(got.error());
  EXPECT_EQ(*got, text + text);
}

TEST(InflateStream, SizeMustBeExact) {
  const std::string text = sample(5000);
  for (const Codec codec : kBoth) {
    const Data data = pack(codec, text);
    EXPECT_FALSE(read_all({codec, data, text.size() - 1}, 100)) << name_of(codec);
    EXPECT_FALSE(read_all({codec, data, text.size() + 1}, 100)) << name_of(codec);
    EXPECT_FALSE(read_all({codec, data, ~std::uint64_t{0}}, 100)) << name_of(codec);
  }
}

TEST(InflateStream, NoMoreThanIsLeftCanBeAskedFor) {
  const Data data = pack(Codec::zlib, "text");
  auto stream = InflateStream::open({Codec::zlib, data, 4}, kField);
  ASSERT_TRUE(stream);
  std::byte out[5];
  EXPECT_FALSE(stream->read(out));
  EXPECT_TRUE(stream->read(std::span(out).first(4)));
  EXPECT_EQ(stream->left(), 0u);
  EXPECT_TRUE(stream->read({}));
}

TEST(InflateStream, EveryCutIsRefused) {
  const std::string text = sample(700);
  for (const Codec codec : kBoth) {
    const Data data = pack(codec, text);
    for (std::size_t n = 0; n < data.size(); ++n)
      EXPECT_FALSE(read_all({codec, Bytes(data).first(n), text.size()}, 64)) << name_of(codec) << " " << n;
  }
}

TEST(InflateStream, NoFlippedBitGoesUnnoticedUnderAChecksum) {
  const std::string text = sample(700);
  Data data = pack(Codec::zlib, text);
  for (std::size_t bit = 0; bit < data.size() * 8; ++bit) {
    data[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    const auto got = read_all({Codec::zlib, data, text.size()}, 64);
    EXPECT_TRUE(!got || *got == text) << bit;
    data[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
  }
}

}  // namespace
}  // namespace symcached
