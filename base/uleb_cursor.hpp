#pragma once
/// Reads what ByteWriter::put_uleb wrote. For hot loops: one check at the end instead of an error for each number.
#include <cstdint>
#include <utility>

#include "base/byte_writer.hpp"
#include "base/bytes.hpp"

namespace symcached {

/// Cursor for ULEB128 numbers. After a failure it stays at the end and gives zeros.
class UlebCursor {
 public:
  UlebCursor(Bytes data, std::size_t at)
      : begin_(reinterpret_cast<const std::uint8_t*>(data.data())),
        end_(begin_ + data.size()),
        at_(at <= data.size() ? begin_ + at : end_),
        failed_(at > data.size()) {}

  bool at_end() const { return at_ == end_; }
  bool failed() const { return failed_; }
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }

  std::uint8_t byte() {
    if (at_ == end_) [[unlikely]]
      return fail();
    return *at_++;
  }
  /// @return a number of at most 32 bits; more fail
  std::uint32_t number() {
    const std::uint64_t value = wide_number();
    if (value > 0xFFFFFFFF) [[unlikely]]
      return fail();
    return static_cast<std::uint32_t>(value);
  }
  std::uint64_t wide_number() {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return *at_++;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) [[unlikely]]
        return fail();
      const std::uint8_t b = *at_++;
      if (shift == 63 && b > 1) break;
      value |= std::uint64_t{b & 0x7Fu} << shift;
      if (b < 0x80) return value;
    }
    return fail();
  }
  std::int64_t signed_number() { return unzigzag(wide_number()); }
  /// A number as DWARF writes signed ones: in two's complement. What is above 64 bits is lost.
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == end_ || shift > 63) [[unlikely]]
        return fail();
      const std::uint8_t b = *at_++;
      value |= std::uint64_t{b & 0x7Fu} << shift;
      if (b >= 0x80) continue;
      if (shift + 7 < 64 && (b & 0x40) != 0) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
  }
  Bytes bytes(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      return fail(), Bytes();
    return std::as_bytes(std::span(std::exchange(at_, at_ + count), count));
  }

 private:
  std::uint8_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }
  const std::uint8_t *begin_, *end_, *at_;
  bool failed_;
};

}  // namespace symcached
