#pragma once
/// Lays streams out as an MSF 7.00 file, the container of PDBs.
#include <cstdint>
#include <span>
#include <vector>

#include "testing/assembler.hpp"

namespace symcached::testkit {

struct MsfLayout {
  std::uint32_t block_size = 512;
  bool scattered = false;            ///< the blocks of every stream backwards, so that none lies in one piece
  std::vector<std::uint32_t> nil{};  ///< streams the directory names without giving them a place
};

/// Block 0 the header, 1 and 2 the free maps, 3 the directory's map, then the directory and the streams.
inline std::vector<std::byte> msf_file(std::span<const std::vector<std::byte>> streams, const MsfLayout& layout = {}) {
  constexpr std::uint32_t kDirectory = 4;
  const std::size_t block = layout.block_size;
  const auto blocks_of = [&](std::size_t size) { return static_cast<std::uint32_t>((size + block - 1) / block); };
  const auto is_nil = [&](std::size_t i) { return std::ranges::find(layout.nil, i) != layout.nil.end(); };
  Section directory;
  directory.u32(static_cast<std::uint32_t>(streams.size()));
  std::size_t directory_size = 4 + 4 * streams.size();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    directory.u32(is_nil(i) ? 0xFFFFFFFF : static_cast<std::uint32_t>(streams[i].size()));
    if (!is_nil(i)) directory_size += 4 * std::size_t{blocks_of(streams[i].size())};
  }
  const std::uint32_t first = kDirectory + blocks_of(directory_size);
  std::uint32_t next = first;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::uint32_t count = is_nil(i) ? 0 : blocks_of(streams[i].size());
    for (std::uint32_t b = 0; b < count; ++b) directory.u32(layout.scattered ? next + count - 1 - b : next + b);
    next += count;
  }

  Section out;
  out.text("Microsoft C/C++ MSF 7.00\r\n\x1A").text("DS").zeros(3);
  out.u32(layout.block_size).u32(1).u32(next).u32(static_cast<std::uint32_t>(directory.size())).u32(0).u32(3);
  out.pad_to(3 * block);
  for (std::uint32_t b = kDirectory; b < first; ++b) out.u32(b);
  out.pad_to(kDirectory * block).bytes(directory.finish()).pad_to(first * block);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (is_nil(i)) continue;
    std::vector<std::byte> padded = streams[i];
    padded.resize(blocks_of(padded.size()) * block);
    const std::size_t count = padded.size() / block;
    for (std::size_t b = 0; b < count; ++b)
      out.bytes(Bytes(padded).subspan((layout.scattered ? count - 1 - b : b) * block, block));
  }
  return out.finish();
}

}  // namespace symcached::testkit
