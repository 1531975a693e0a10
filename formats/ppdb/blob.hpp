#pragma once
/// The integers inside of blobs. Spec: ECMA-335, II.23.2 ("Blobs and signatures").
#include <cstdint>
#include <utility>

#include "base/bytes.hpp"

namespace symcached::ppdb {

/// Forward cursor for hot loops: one check at the end instead of an error for each number. After a failure it stays
/// at the end and gives zeros.
class BlobCursor {
 public:
  explicit BlobCursor(Bytes data)
      : begin_(reinterpret_cast<const std::uint8_t*>(data.data())), at_(begin_), end_(begin_ + data.size()) {}

  bool at_end() const { return at_ == end_; }
  bool failed() const { return failed_; }
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  Bytes rest() const { return std::as_bytes(std::span(at_, end_)); }

  std::uint8_t byte() {
    if (at_ == end_) [[unlikely]]
      return static_cast<std::uint8_t>(fail());
    return *at_++;
  }
  /// The next byte without taking it; 0 at the end.
  std::uint8_t peek() const { return at_ == end_ ? std::uint8_t{0} : *at_; }

  /// Unsigned, of 7, 14 or 29 bits: the first byte's top bits tell which.
  std::uint32_t number() {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return *at_++;
    return long_number().value;
  }
  /// Signed: its bits rotated left by one, so that the lowest one is the sign.
  std::int32_t signed_number() {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return rotated({*at_++, 7});
    return rotated(long_number());
  }
  std::uint32_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }

 private:
  struct Sized {
    std::uint32_t value;
    unsigned bits;
  };
  static std::int32_t rotated(Sized from) {
    const auto value = static_cast<std::int32_t>(from.value >> 1);
    return (from.value & 1) != 0 ? value - (std::int32_t{1} << (from.bits - 1)) : value;
  }
  Sized long_number() {
    if (at_ == end_) [[unlikely]]
      return {fail(), 7};
    if (*at_ < 0xC0) {
      if (left() < 2) [[unlikely]]
        return {fail(), 7};
      const std::uint32_t value = (at_[0] & 0x3Fu) << 8 | at_[1];
      at_ += 2;
      return {value, 14};
    }
    if (left() < 4 || *at_ >= 0xE0) [[unlikely]]
      return {fail(), 7};
    const std::uint32_t value =
        (at_[0] & 0x1Fu) << 24 | std::uint32_t{at_[1]} << 16 | std::uint32_t{at_[2]} << 8 | at_[3];
    at_ += 4;
    return {value, 29};
  }

  const std::uint8_t *begin_, *at_, *end_;
  bool failed_ = false;
};

}  // namespace symcached::ppdb
