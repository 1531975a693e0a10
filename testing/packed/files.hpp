#pragma once
/// Small files packed in every way that symcached opens, assembled or made with the libraries at hand.
#include <libdeflate.h>
#include <lzma.h>
#include <zstd.h>

#include "testing/packed/zip_file.hpp"

namespace symcached::testkit {

inline std::vector<std::byte> gzipped(Bytes plain) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(9);
  std::vector<std::byte> out(libdeflate_gzip_compress_bound(compressor, plain.size()));
  out.resize(libdeflate_gzip_compress(compressor, plain.data(), plain.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

inline std::vector<std::byte> zlib_file(Bytes plain) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  std::vector<std::byte> out(libdeflate_zlib_compress_bound(compressor, plain.size()));
  out.resize(libdeflate_zlib_compress(compressor, plain.data(), plain.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

inline std::vector<std::byte> zstd_file(Bytes plain) {
  std::vector<std::byte> out(ZSTD_compressBound(plain.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  return out;
}

inline std::vector<std::byte> xz_file(Bytes plain) {
  std::vector<std::byte> out(lzma_stream_buffer_bound(plain.size()));
  std::size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
                          plain.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  out.resize(size);
  return out;
}

/// LZSS without a single match: a control byte that says so before each eight bytes.
inline Section& put_literals(Section& out, Bytes plain) {
  for (std::size_t i = 0; i < plain.size(); i += 8)
    out.u8(0xFF).bytes(plain.subspan(i, std::min<std::size_t>(8, plain.size() - i)));
  return out;
}

inline std::vector<std::byte> szdd_file(Bytes plain) {
  Section out;
  out.text("SZDD\x88\xF0\x27\x33").text("A").text("b").u32(static_cast<std::uint32_t>(plain.size()));
  return put_literals(out, plain).finish();
}

/// KWAJ, method 0: the bytes as they are.
inline std::vector<std::byte> kwaj_file(Bytes plain) {
  return Section().text("KWAJ\x88\xF0\x27\xD1").u16(0).u16(14).u16(0).bytes(plain).finish();
}

struct CabinetInput {
  std::string name;
  std::vector<std::byte> bytes;
};

/// A cabinet of one folder, its data as it is. Layout: Microsoft's [MS-CAB].
inline std::vector<std::byte> cabinet_file(const std::vector<CabinetInput>& members, std::uint16_t flags = 0) {
  std::vector<std::byte> plain;
  for (const CabinetInput& m : members) plain.insert(plain.end(), m.bytes.begin(), m.bytes.end());
  constexpr std::size_t kBlock = 32768;
  const auto blocks = static_cast<std::uint16_t>((plain.size() + kBlock - 1) / kBlock);
  Section out;
  out.text("MSCF").u32(0).ref32("end").u32(0).ref32("files").u32(0).u8(3).u8(1).u16(1);
  out.u16(static_cast<std::uint16_t>(members.size())).u16(flags).u16(0).u16(0);
  if ((flags & 2) != 0) out.c_string("next.cab").c_string("disk");
  out.ref32("data").u16(blocks).u16(0).label("files");
  std::uint32_t offset = 0;
  for (const CabinetInput& m : members) {
    out.u32(static_cast<std::uint32_t>(m.bytes.size())).u32(offset).u16(0).u16(0x21).u16(0).u16(0x20).c_string(m.name);
    offset += static_cast<std::uint32_t>(m.bytes.size());
  }
  out.label("data");
  for (std::size_t at = 0; at < plain.size(); at += kBlock) {
    const Bytes block = Bytes(plain).subspan(at, std::min(kBlock, plain.size() - at));
    const auto size = static_cast<std::uint16_t>(block.size());
    out.u32(0).u16(size).u16(size).bytes(block);  // checksum 0: none
  }
  return out.label("end").finish();
}

}  // namespace symcached::testkit
