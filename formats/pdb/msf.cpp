#include "formats/pdb/msf.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace symcached::pdb {
namespace {

constexpr std::string_view kMagic{"Microsoft C/C++ MSF 7.00\r\n\x1a\x44\x53\0\0\0", 32};
constexpr std::uint32_t kNilStreamSize = 0xFFFFFFFF;
constexpr std::uint32_t kMaxStreams = 0x10000;
constexpr std::uint32_t kOldDirectory = 0;  ///< stream 0; its blocks may have been given to other streams

struct SuperBlock {
  std::array<char, 32> magic;
  u32le block_size;
  u32le free_block_map;  ///< 1 or 2: which of the two maps is current
  u32le block_count;     ///< blocks in the file
  u32le directory_bytes;
  u32le unknown;
};  // followed by the numbers of the blocks that hold the directory's block numbers
static_assert(sizeof(SuperBlock) == 52 && alignof(SuperBlock) == 1);

std::uint32_t blocks_for(std::uint32_t bytes, std::uint32_t block_size) {
  return bytes / block_size + (bytes % block_size != 0);
}

/// Copies `size` bytes out of the listed blocks. Every block number was checked to lie in the file.
void gather(Bytes file, std::span<const u32le> blocks, std::uint32_t block_size, std::uint32_t size,
            std::vector<std::byte>& out) {
  out.resize(size);
  std::uint32_t done = 0;
  for (std::size_t i = 0; done < size;) {
    std::size_t run = 1;  // neighbours are copied at once
    while (i + run < blocks.size() && blocks[i + run] == blocks[i] + run) ++run;
    const std::uint64_t run_bytes = std::min<std::uint64_t>(run * block_size, size - done);
    std::memcpy(out.data() + done, file.data() + std::uint64_t{blocks[i]} * block_size, run_bytes);
    done += static_cast<std::uint32_t>(run_bytes);
    i += run;
  }
}

bool are_consecutive(std::span<const u32le> blocks) {
  for (std::size_t i = 1; i < blocks.size(); ++i)
    if (blocks[i] != blocks[0] + i) return false;
  return true;
}

/// Every listed block must lie wholly in the file, but the last of a stream only as far as it is used.
Read<void> check_blocks(Bytes file, std::span<const u32le> blocks, std::uint32_t block_size, std::uint32_t size,
                        std::string_view field) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint64_t start = std::uint64_t{blocks[i]} * block_size;
    const std::uint64_t used = std::min<std::uint64_t>(block_size, size - i * std::uint64_t{block_size});
    if (start > file.size() || used > file.size() - start)
      return truncated(field, start, used, start > file.size() ? 0 : file.size() - start);
  }
  return {};
}

Read<std::vector<std::byte>> read_directory(Bytes file, const SuperBlock& super) {
  const std::uint32_t block_size = super.block_size;
  const std::uint32_t directory_blocks = blocks_for(super.directory_bytes, block_size);
  const std::uint32_t map_blocks = blocks_for(directory_blocks * 4, block_size);
  if (map_blocks > (block_size - sizeof(SuperBlock)) / 4)
    return too_large("msf.directory_bytes", 44, super.directory_bytes, std::uint64_t{block_size} * block_size);
  ByteReader in(file.subspan(sizeof(SuperBlock)), sizeof(SuperBlock));
  SC_TRY(const auto map, in.array<u32le>(map_blocks, "msf.directory_map"));
  if (const auto ok = check_blocks(file, map, block_size, directory_blocks * 4, "msf.directory_map"); !ok)
    return std::unexpected(ok.error());
  std::vector<std::byte> numbers;
  gather(file, map, block_size, directory_blocks * 4, numbers);
  const std::span<const u32le> blocks(reinterpret_cast<const u32le*>(numbers.data()), directory_blocks);
  if (const auto ok = check_blocks(file, blocks, block_size, super.directory_bytes, "msf.directory"); !ok)
    return std::unexpected(ok.error());
  std::vector<std::byte> directory;
  gather(file, blocks, block_size, super.directory_bytes, directory);
  return directory;
}

}  // namespace

bool is_msf(Bytes file) { return as_text(file).starts_with(kMagic); }

Read<Msf> Msf::open(Bytes file) {
  if (!is_msf(file)) return bad_value("msf.magic", 0, file.empty() ? 0 : static_cast<std::uint8_t>(file[0]), 'M');
  SC_TRY(const auto super, read_at<SuperBlock>(file, 0, "msf.superblock"));
  const std::uint32_t block_size = super.block_size;
  if (block_size < 512 || block_size > 65536 || !std::has_single_bit(block_size))
    return bad_value("msf.block_size", 32, block_size, 4096);
  if (super.directory_bytes > file.size()) return truncated("msf.directory", 44, super.directory_bytes, file.size());
  const std::uint64_t stated = std::uint64_t{super.block_count} * block_size;
  if (stated > file.size() && stated - file.size() >= block_size)
    return truncated("msf.block_count", 40, stated, file.size());

  Msf msf;
  msf.file_ = file;
  msf.block_size_ = block_size;
  SC_TRY(msf.directory_, read_directory(file, super));
  ByteReader in(msf.directory_);
  SC_TRY(const std::uint32_t count, in.read<u32le>("msf.stream_count"));
  if (count > kMaxStreams) return too_large("msf.stream_count", 0, count, kMaxStreams);
  SC_TRY(const auto sizes, in.array<u32le>(count, "msf.stream_sizes"));
  msf.streams_.resize(count);
  std::uint64_t blocks = 0;  // a block has one owner; without a limit a small file could ask for work without end
  const std::uint64_t file_blocks = file.size() / block_size + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (sizes[i] == kNilStreamSize) continue;
    Stream& stream = msf.streams_[i];
    stream.size = sizes[i];
    stream.exists = true;
    if (i != kOldDirectory) blocks += blocks_for(stream.size, block_size);
    if (blocks > file_blocks) return too_large("msf.stream_sizes", 4 + 4 * std::uint64_t{i}, blocks, file_blocks);
    SC_TRY(stream.blocks, in.array<u32le>(blocks_for(stream.size, block_size), "msf.stream_blocks"));
    if (const auto ok = check_blocks(file, stream.blocks, block_size, stream.size, "msf.stream_blocks"); !ok)
      return std::unexpected(ok.error());
    stream.consecutive = are_consecutive(stream.blocks);
  }
  return msf;
}

Read<Bytes> Msf::range(StreamIndex index, std::uint32_t offset, std::uint32_t size, std::vector<std::byte>& scratch,
                       std::string_view field) const {
  if (!has_stream(index)) return bad_value(field, 0, index);
  const Stream& stream = streams_[index];
  if (offset > stream.size || size > stream.size - offset)
    return truncated(field, offset, size, offset > stream.size ? 0 : stream.size - offset);
  if (size == 0) return Bytes{};
  const std::uint32_t first = offset / block_size_;
  const std::uint32_t skipped = offset % block_size_;
  const std::uint32_t last = (offset + (size - 1)) / block_size_;
  const auto blocks = stream.blocks.subspan(first, last - first + 1);
  if (stream.consecutive || are_consecutive(blocks))
    return file_.subspan(std::uint64_t{blocks[0]} * block_size_ + skipped, size);
  gather(file_, blocks, block_size_, skipped + size, scratch);
  return Bytes(scratch).subspan(skipped);
}

Read<Bytes> Msf::stream(StreamIndex index, std::vector<std::byte>& scratch, std::string_view field,
                        std::uint32_t limit) const {
  if (!has_stream(index)) return bad_value(field, 0, index);
  return range(index, 0, std::min(streams_[index].size, limit), scratch, field);
}

}  // namespace symcached::pdb
