#pragma once
/// Streams one behind the other, as fuzz input: a mutation changes what a stream says, never where its blocks are.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "testing/assembler.hpp"

namespace symcached::testkit {

/// A byte with the number of streams, their sizes as u32, their bytes.
inline std::vector<std::byte> pack_streams(const std::vector<std::vector<std::byte>>& streams) {
  Section out;
  out.u8(static_cast<std::uint8_t>(streams.size()));
  for (const auto& stream : streams) out.u32(static_cast<std::uint32_t>(stream.size()));
  for (const auto& stream : streams) out.bytes(stream);
  return out.finish();
}

/// Takes any bytes: sizes that are too large are cut to what is left.
inline std::vector<std::vector<std::byte>> unpack_streams(Bytes packed) {
  std::vector<std::vector<std::byte>> streams;
  ByteReader in(packed);
  const auto count = in.read<u8le>("packed.count");
  if (!count) return streams;
  const auto sizes = in.array<u32le>(std::uint8_t{*count}, "packed.sizes");
  if (!sizes) return streams;
  for (const std::uint32_t size : *sizes) {
    const Bytes stream = *in.take(std::min<std::size_t>(size, in.left()), "packed.stream");
    streams.emplace_back(stream.begin(), stream.end());
  }
  return streams;
}

}  // namespace symcached::testkit
