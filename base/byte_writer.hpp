#pragma once
/// Builds bytes front to back. The counterpart of ByteReader.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace symcached {

class ByteWriter {
 public:
  std::size_t size() const { return out_.size(); }
  Bytes bytes() const { return out_; }
  void clear() { out_.clear(); }
  void reserve(std::size_t n) { out_.reserve(n); }

  template <WireRecord T>
  void put(const T& record) {
    put_bytes(std::as_bytes(std::span(&record, 1)));
  }
  void put_bytes(Bytes data) { out_.insert(out_.end(), data.begin(), data.end()); }
  void put_text(std::string_view text) { put_bytes(as_bytes(text)); }
  void put_u8(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
  /// Unsigned LEB128: 7 bits a byte, least significant first.
  void put_uleb(std::uint64_t value) {
    while (value >= 0x80) {
      put_u8(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    put_u8(static_cast<std::uint8_t>(value));
  }
  void align(std::size_t alignment) { out_.resize((out_.size() + alignment - 1) / alignment * alignment); }
  /// Overwrites a record written before.
  template <WireRecord T>
  void patch(std::size_t at, const T& record) {
    std::memcpy(out_.data() + at, &record, sizeof(T));
  }
  std::vector<std::byte> finish() && { return std::move(out_); }

 private:
  std::vector<std::byte> out_;
};

/// Signed to unsigned so that small magnitudes stay small: 0, -1, 1, -2 become 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace symcached
