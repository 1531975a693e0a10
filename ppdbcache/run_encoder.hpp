#pragma once
/// Writes runs of points. Spec: docs/formats/ppdbcache.md, section 4.
#include <cstdint>
#include <span>

#include "model/managed_module.hpp"
#include "ppdbcache/format.hpp"

namespace symcached::ppdbcache {

inline constexpr std::size_t kMostBytesOfAPoint = kHeadSize + 4 * 5;

/// Unsigned LEB128 into memory that has room for it.
inline std::uint8_t* put_number(std::uint8_t* to, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

/// One run: a head and further points.
/// @param points  at least one; their IL offsets rise
/// @param to      room for kMostBytesOfAPoint each, and a byte more
/// @return        behind the last byte
std::uint8_t* encode_run(std::span<const model::ManagedPoint> points, std::uint32_t block_document, std::uint8_t* to);

}  // namespace symcached::ppdbcache
