#include "base/decompress.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "testing/stored_inputs.hpp"

namespace symcached {
namespace {

constexpr std::string_view kField = "test.data";

/// Text that compresses about as debug sections do.
std::string sample(std::size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i) text += "line " + std::to_string(i * 7919 % 1000) + ", ";
  text.resize(size);
  return text;
}

using Packed = std::vector<std::byte>;

Packed deflated(Codec codec, std::string_view text) {
  libdeflate_compressor* with = libdeflate_alloc_compressor(6);
  Packed out(libdeflate_gzip_compress_bound(with, text.size()));
  const auto pack = codec == Codec::gzip   ? libdeflate_gzip_compress
                    : codec == Codec::zlib ? libdeflate_zlib_compress
                                           : libdeflate_deflate_compress;
  out.resize(pack(with, text.data(), text.size(), out.data(), out.size()));
  libdeflate_free_compressor(with);
  return out;
}

Packed zstd(std::string_view text, bool size_stated = true) {
  Packed out(ZSTD_compressBound(text.size()));
  ZSTD_CCtx* with = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(with, ZSTD_c_contentSizeFlag, size_stated ? 1 : 0);
  out.resize(ZSTD_compress2(with, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(with);
  return out;
}

Packed xz(std::string_view text) {
  Packed out(lzma_stream_buffer_bound(text.size()));
  std::size_t used = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &used, out.size());
  out.resize(used);
  return out;
}

Packed pack(Codec codec, std::string_view text) {
  switch (codec) {
    case Codec::zstd: return zstd(text);
    case Codec::xz: return xz(text);
    default: return deflated(codec, text);
  }
}

Packed joined(Packed a, const Packed& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr Codec kAll[] = {Codec::deflate, Codec::zlib, Codec::gzip, Codec::zstd, Codec::xz};

TEST(Decompress, GivesWhatWasCompressed) {
  for (const Codec codec : kAll)
    for (const std::size_t size : {0uz, 1uz, 1000uz, 300000uz}) {
      const std::string text = sample(size);
      const Packed packed = pack(codec, text);
      const auto exact = decompress(codec, packed, size, kField);
      ASSERT_TRUE(exact) << name_of(codec) << " " << size << ": " << to_string(exact.error());
      EXPECT_EQ(as_text(exact->bytes()), text) << name_of(codec);
      const auto whole = decompress_whole(codec, packed, 1u << 30, kField);
      ASSERT_TRUE(whole) << name_of(codec) << " " << size << ": " << to_string(whole.error());
      EXPECT_EQ(as_text(whole->bytes()), text) << name_of(codec);
    }
}

TEST(Decompress, SizeMustBeExact) {
  const std::string text = sample(5000);
  for (const Codec codec : kAll) {
    const Packed packed = pack(codec, text);
    EXPECT_FALSE(decompress(codec, packed, text.size() - 1, kField)) << name_of(codec);
    EXPECT_FALSE(decompress(codec, packed, text.size() + 1, kField)) << name_of(codec);
    EXPECT_FALSE(decompress(codec, packed, 0, kField)) << name_of(codec);
  }
}

TEST(Decompress, TakesNoMemoryForASizeNobodyBelieves) {
  const Packed packed = zstd("small");
  for (const std::uint64_t size :
       {packed.size() * kMaxExpansion + kMaxExpansion, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    const auto got = decompress(Codec::zstd, packed, size, kField);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().kind, ReadError::Kind::too_large);
  }
}

TEST(Decompress, EveryCutIsRefused) {
  const std::string text = sample(700);
  for (const Codec codec : kAll) {
    const Packed packed = pack(codec, text);
    for (std::size_t n = 0; n < packed.size(); ++n) {
      const Bytes cut = Bytes(packed).first(n);
      EXPECT_FALSE(decompress(codec, cut, text.size(), kField)) << name_of(codec) << " " << n;
      EXPECT_FALSE(decompress_whole(codec, cut, 1 << 20, kField)) << n;
    }
  }
}

TEST(DecompressWhole, StopsAtTheLimit) {
  const std::string text = sample(200000);
  for (const Codec codec : kAll) {
    const Packed packed = pack(codec, text);
    EXPECT_TRUE(decompress_whole(codec, packed, text.size(), kField)) << name_of(codec);
    for (const std::size_t limit : {text.size() - 1, 100uz, 0uz}) {
      const auto got = decompress_whole(codec, packed, limit, kField);
      ASSERT_FALSE(got) << name_of(codec) << " " << limit;
      EXPECT_EQ(got.error().kind, ReadError::Kind::too_large) << name_of(codec) << " " << limit;
    }
  }
}

TEST(DecompressWhole, JoinsMembersAndFrames) {
  const std::string text = sample(150000), more = sample(90);
  for (const Codec codec : {Codec::gzip, Codec::zstd, Codec::xz}) {
    const auto got =
        decompress_whole(codec, joined(joined(pack(codec, text), pack(codec, "")), pack(codec, more)), 1 << 20, kField);
    ASSERT_TRUE(got) << name_of(codec) << ": " << to_string(got.error());
    EXPECT_EQ(as_text(got->bytes()), text + more) << name_of(codec);
  }
}

TEST(DecompressWhole, LooksAtWhatFollowsTheLastMember) {
  const Packed member = pack(Codec::gzip, "x");
  EXPECT_TRUE(decompress_whole(Codec::gzip, joined(member, Packed(40)), 100, kField));
  EXPECT_FALSE(decompress_whole(Codec::gzip, joined(member, Packed(40, std::byte{7})), 100, kField));
  EXPECT_FALSE(decompress_whole(Codec::gzip, {}, 100, kField));
}

TEST(DecompressWhole, ManyTimesAsLargeAsTheInput) {
  const std::string zeros(40u << 20, '\0');  // zstd and xz pass kMaxExpansion here
  for (const Codec codec : kAll) {
    const auto got = decompress_whole(codec, pack(codec, zeros), zeros.size(), kField);
    ASSERT_TRUE(got) << name_of(codec) << ": " << to_string(got.error());
    EXPECT_EQ(got->size(), zeros.size());
  }
  const auto unstated = decompress_whole(Codec::zstd, zstd(zeros, false), zeros.size(), kField);
  ASSERT_TRUE(unstated);
  EXPECT_EQ(unstated->size(), zeros.size());
}

/// The first byte of a fuzz input chooses the codec, the rest is the stream.
Packed chosen(Codec codec, const Packed& stream) { return joined({static_cast<std::byte>(codec)}, stream); }

TEST(DecompressFuzzCorpus, IsWhatThisTestPacks) {
  const std::string text = sample(200);
  Packed cut = pack(Codec::xz, text);
  cut.resize(cut.size() / 2);
  const testkit::StoredInput inputs[] = {
      {"deflate.bin", chosen(Codec::deflate, pack(Codec::deflate, text))},
      {"zlib.bin", chosen(Codec::zlib, pack(Codec::zlib, text))},
      {"two_members.bin", chosen(Codec::gzip, joined(pack(Codec::gzip, text), pack(Codec::gzip, "more")))},
      {"zstd.bin", chosen(Codec::zstd, pack(Codec::zstd, text))},
      {"unstated.bin", chosen(Codec::zstd, zstd(text, false))},
      {"xz.bin", chosen(Codec::xz, pack(Codec::xz, text))},
      {"cut.bin", chosen(Codec::xz, cut)},
  };
  testkit::expect_stored("base/fuzz_corpus/decompress_fuzz", inputs);
}

}  // namespace
}  // namespace symcached
