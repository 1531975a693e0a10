#include "formats/pdb/msf.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <optional>

#include "testing/pdb/msf_file.hpp"

namespace symcached::pdb {
namespace {

using testkit::Exact;
using testkit::msf_file;
using Streams = std::vector<std::vector<std::byte>>;

/// `size` bytes that tell where they are.
std::vector<std::byte> counting(std::size_t size, std::uint32_t seed) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 31 + i / 256 + seed);
  return out;
}

std::string error_of(Bytes file) {
  const auto msf = Msf::open(file);
  return msf ? "" : std::string(msf.error().field);
}

TEST(Msf, StreamsOfEveryBlockSizeInOnePieceOrNot) {
  const Streams streams = {counting(0, 0), counting(1, 1), counting(512, 2), counting(200000, 3)};
  for (std::uint32_t block = 512; block <= 65536; block *= 2)
    for (const bool scattered : {false, true}) {
      const auto bytes = msf_file(streams, {.block_size = block, .scattered = scattered});
      const auto msf = Msf::open(bytes);
      ASSERT_TRUE(msf) << to_string(msf.error());
      EXPECT_EQ(msf->block_size(), block);
      ASSERT_EQ(msf->stream_count(), 4u);
      for (std::uint32_t i = 0; i < 4; ++i) {
        std::vector<std::byte> scratch;
        EXPECT_EQ(msf->stream_size(i), streams[i].size());
        const auto all = msf->stream(i, scratch, "test");
        ASSERT_TRUE(all);
        EXPECT_TRUE(std::ranges::equal(*all, streams[i])) << block << " stream " << i;
        const bool many = streams[i].size() > block;
        EXPECT_EQ(scratch.empty(), !(scattered && many)) << "assembled only where it has to be";
      }
    }
}

/// Memory of which only the touched pages exist, for files larger than the machine would like.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t size)
      : size_(size),
        at_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory() { ::munmap(at_, size_); }
  bool good() const { return at_ != MAP_FAILED; }
  Bytes bytes() const { return {static_cast<const std::byte*>(at_), size_}; }
  void write(std::size_t offset, Bytes data) {
    std::memcpy(static_cast<std::byte*>(at_) + offset, data.data(), data.size());
  }

 private:
  std::size_t size_;
  void* at_;
};

TEST(Msf, BlocksBehindFourGiB) {
  constexpr std::size_t kBlock = 4096, kBlocks = 0x140000;  // 5 GiB
  SparseMemory file(kBlock * kBlocks);
  ASSERT_TRUE(file.good());
  const auto stream = counting(5000, 1);
  const auto block = [](std::uint32_t from_end) { return static_cast<std::uint32_t>(kBlocks - from_end); };
  const auto directory = testkit::Section().u32(2).u32(0).u32(5000).u32(block(2)).u32(block(1)).finish();
  file.write(0, testkit::Section()
                    .text("Microsoft C/C++ MSF 7.00\r\n\x1A")
                    .text("DS")
                    .zeros(3)
                    .u32(kBlock)
                    .u32(1)
                    .u32(kBlocks)
                    .u32(static_cast<std::uint32_t>(directory.size()))
                    .u32(0)
                    .u32(3)
                    .finish());
  file.write(3 * kBlock, testkit::Section().u32(block(3)).finish());
  file.write(kBlock * block(3), directory);
  file.write(kBlock * block(2), stream);
  const auto msf = Msf::open(file.bytes());
  ASSERT_TRUE(msf) << to_string(msf.error());
  std::vector<std::byte> scratch;
  const auto all = msf->stream(1, scratch, "test");
  ASSERT_TRUE(all);
  EXPECT_TRUE(std::ranges::equal(*all, stream));
}

TEST(Msf, Ranges) {
  struct Row {
    std::uint32_t offset, size;
    bool good;
  };
  const Row rows[] = {{0, 0, true},     {0, 3000, true},        {511, 2, true},        {512, 512, true},
                      {2999, 1, true},  {3000, 0, true},        {3000, 1, false},      {2999, 2, false},
                      {3001, 0, false}, {0xFFFFFFFF, 1, false}, {1, 0xFFFFFFFF, false}};
  const Streams streams = {{}, counting(3000, 9)};
  for (const bool scattered : {false, true}) {
    const auto bytes = msf_file(streams, {.scattered = scattered});
    const auto msf = Msf::open(bytes);
    ASSERT_TRUE(msf);
    for (const Row& r : rows) {
      std::vector<std::byte> scratch;
      const auto part = msf->range(1, r.offset, r.size, scratch, "test.range");
      ASSERT_EQ(part.has_value(), r.good) << r.offset << "+" << r.size;
      if (!part) {
        EXPECT_EQ(part.error().field, "test.range");
        continue;
      }
      EXPECT_TRUE(std::ranges::equal(*part, Bytes(streams[1]).subspan(r.offset, r.size))) << r.offset << "+" << r.size;
    }
  }
}

TEST(Msf, StreamsThatAreNotThere) {
  const auto bytes = msf_file(Streams{{}, counting(9, 0), counting(5, 0)}, {.nil = {2}});
  const auto msf = Msf::open(bytes);
  ASSERT_TRUE(msf);
  std::vector<std::byte> scratch;
  EXPECT_TRUE(msf->has_stream(0)) << "empty, but there";
  EXPECT_TRUE(msf->has_stream(1));
  for (const StreamIndex none : {StreamIndex{2}, StreamIndex{3}, kNoStream}) {
    EXPECT_FALSE(msf->has_stream(none));
    EXPECT_EQ(msf->stream(none, scratch, "test.stream").error().field, "test.stream");
  }
  EXPECT_EQ(msf->stream(1, scratch, "test", 4)->size(), 4u);
}

TEST(Msf, NamesTheFieldThatIsWrong) {
  struct Row {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view want;
  };
  const Row rows[] = {
      {"another magic", 0, 0x7263694E, "msf.magic"},
      {"too small", 32, 256, "msf.block_size"},
      {"too large", 32, 131072, "msf.block_size"},
      {"no power of two", 32, 513, "msf.block_size"},
      {"none", 32, 0, "msf.block_size"},
      {"more blocks than the file has", 40, 100, "msf.block_count"},
      {"a directory larger than the file", 44, 0x7FFFFFFF, "msf.directory"},
      {"the directory's map is far away", 52, 1000, "msf.directory_map"},
      {"the directory is far away", 3 * 512, 1000, "msf.directory"},
      {"streams without end", 4 * 512, 0x20000, "msf.stream_count"},
      {"more streams than sizes", 4 * 512, 0x10000, "msf.stream_sizes"},
      {"a stream larger than the file", 4 * 512 + 8, 0x7FFFFFFF, "msf.stream_sizes"},
      {"fewer blocks than the stream needs", 4 * 512 + 8, 513, "msf.stream_blocks"},
      {"a block behind the file's end", 4 * 512 + 12, 1000, "msf.stream_blocks"},
  };
  const auto whole = msf_file(Streams{{}, counting(500, 0)});
  EXPECT_EQ(error_of(whole), "");
  for (const Row& r : rows) {
    auto bytes = whole;
    testkit::patch(bytes, r.at, u32le(r.value));
    EXPECT_EQ(error_of(bytes), r.want) << r.why;
  }
}

/// A small file whose streams all name the same blocks would be work without end for whoever reads them all.
TEST(Msf, BlocksAreNotSharedWithoutLimit) {
  Streams streams(40);
  for (auto& stream : streams) stream = counting(512, 0);
  auto bytes = msf_file(streams);
  bytes.resize(30 * 512);
  testkit::patch(bytes, 40, u32le(30));
  for (std::size_t i = 0; i < 40; ++i) testkit::patch(bytes, 4 * 512 + 4 + 160 + 4 * i, u32le(5));
  EXPECT_EQ(error_of(bytes), "msf.stream_sizes");
}

TEST(Msf, EveryCutIsRefusedUnlessOnlyPaddingIsMissing) {
  for (const bool scattered : {false, true}) {
    const auto whole = msf_file(Streams{{}, counting(700, 0), counting(1000, 1)}, {.scattered = scattered});
    const std::size_t padding = scattered ? 0 : 24;  // scattered, the stream's last block is not the file's
    for (std::size_t n = 0; n <= whole.size(); ++n)
      EXPECT_EQ(error_of(Exact(Bytes(whole).first(n)).bytes()).empty(), n + padding >= whole.size()) << n << " bytes";
  }
}

TEST(Msf, Magic) {
  EXPECT_TRUE(is_msf(msf_file(Streams{})));
  EXPECT_FALSE(is_msf({}));
  EXPECT_FALSE(is_msf(as_bytes("Microsoft C/C++ MSF 7.00\r\n")));
}

}  // namespace
}  // namespace symcached::pdb
