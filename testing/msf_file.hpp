#pragma once
/// Lays streams out as an MSF 7.00 file, the container of PDBs: 512-byte blocks, streams one after the other.
#include <cstdint>
#include <span>
#include <vector>

#include "testing/assembler.hpp"

namespace symcached::testkit {

/// Block 0 the header, 1 and 2 the free maps, 3 the directory's map, 4 the directory, then the streams.
inline std::vector<std::byte> msf_file(std::span<const std::vector<std::byte>> streams) {
  constexpr std::size_t kBlock = 512;
  constexpr std::uint32_t kFirst = 5;
  const auto blocks_of = [](const auto& stream) { return (stream.size() + kBlock - 1) / kBlock; };
  Section directory;
  directory.u32(static_cast<std::uint32_t>(streams.size()));
  for (const auto& stream : streams) directory.u32(static_cast<std::uint32_t>(stream.size()));
  std::uint32_t next = kFirst;
  for (const auto& stream : streams)
    for (std::size_t i = 0; i < blocks_of(stream); ++i) directory.u32(next++);

  Section out;
  out.text("Microsoft C/C++ MSF 7.00\r\n\x1A").text("DS").zeros(3);
  out.u32(kBlock).u32(1).u32(next).u32(static_cast<std::uint32_t>(directory.size())).u32(0).u32(3);
  out.pad_to(3 * kBlock).u32(4).pad_to(4 * kBlock).bytes(directory.finish()).pad_to(kFirst * kBlock);
  for (const auto& stream : streams) out.bytes(stream).align(kBlock);
  return out.finish();
}

}  // namespace symcached::testkit
