#pragma once
/// Assembles zip files. Layout: PKWARE's APPNOTE, sections 4.3 to 4.4.
#include <libdeflate.h>

#include <string>
#include <string_view>
#include <vector>

#include "testing/assembler.hpp"

namespace symcached::testkit {

struct ZipInput {
  std::string name;
  std::vector<std::byte> bytes;
  bool deflated = false;
  std::uint32_t claimed_size = 0;  ///< 0 = the true one
  bool wrong_checksum = false;
};

inline std::vector<std::byte> to_bytes(std::string_view text) {
  const Bytes view = as_bytes(text);
  return {view.begin(), view.end()};
}

inline std::vector<std::byte> deflate(Bytes plain) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(9);
  std::vector<std::byte> out(libdeflate_deflate_compress_bound(compressor, plain.size()));
  out.resize(libdeflate_deflate_compress(compressor, plain.data(), plain.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

/// @param front  bytes before the archive; positions in it count from the start of them if `counted`
inline std::vector<std::byte> zip_file(const std::vector<ZipInput>& members, std::string_view front = {},
                                       bool counted = true) {
  Section out;
  Section directory;
  out.text(front);
  for (const ZipInput& m : members) {
    const auto data = m.deflated ? deflate(m.bytes) : m.bytes;
    const auto size = m.claimed_size != 0 ? m.claimed_size : static_cast<std::uint32_t>(m.bytes.size());
    const std::uint32_t crc = libdeflate_crc32(0, m.bytes.data(), m.bytes.size()) ^ (m.wrong_checksum ? 1 : 0);
    const auto put_common = [&](Section& to) {  // version, flags, method, time, date, checksum, sizes, name length
      to.u16(20).u16(0).u16(m.deflated ? 8 : 0).u16(0).u16(0x21).u32(crc);
      to.u32(static_cast<std::uint32_t>(data.size())).u32(size).u16(static_cast<std::uint16_t>(m.name.size())).u16(0);
    };
    const auto position = static_cast<std::uint32_t>(out.size() - (counted ? 0 : front.size()));
    put_common(out.text("PK\3\4"));
    out.text(m.name).bytes(data);
    put_common(directory.text("PK\1\2").u16(20));
    directory.u16(0).u16(0).u16(0).u32(0).u32(position).text(m.name);
  }
  const auto start = static_cast<std::uint32_t>(out.size() - (counted ? 0 : front.size()));
  const auto all = directory.finish();
  const auto count = static_cast<std::uint16_t>(members.size());
  out.bytes(all).text("PK\5\6").u16(0).u16(0).u16(count).u16(count);
  out.u32(static_cast<std::uint32_t>(all.size())).u32(start).u16(0);
  return out.finish();
}

}  // namespace symcached::testkit
