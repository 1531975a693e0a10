#pragma once
/// Forward cursor over DWARF's encodings, for hot loops: one check at the end instead of an error for each number.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"

namespace symcached::dwarf {

/// What leads a unit or a table. DWARF 5, 7.4.
struct InitialLength {
  std::uint64_t length = 0;      ///< bytes after this field
  std::uint8_t offset_size = 4;  ///< 4 or 8: 32-bit or 64-bit DWARF
};

/// Cursor over bytes it does not own. A read past the end fails; from then on it stays at the end and gives zeros and
/// empty views, so that a loop that reads until at_end() ends. Views live as long as the bytes.
/// @tparam Big  the byte order of fixed-size integers; both orders are compiled, so that neither asks at each read
template <bool Big>
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(Bytes data, std::uint64_t at = 0)
      : begin_(reinterpret_cast<const std::uint8_t*>(data.data())),
        at_(at <= data.size() ? begin_ + at : begin_ + data.size()),
        end_(begin_ + data.size()),
        failed_(at > data.size()) {}

  bool at_end() const { return at_ == end_; }
  bool failed() const { return failed_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }  ///< from the start of the bytes
  Bytes rest() const { return std::as_bytes(std::span(at_, end_)); }

  void seek(std::uint64_t at) {
    if (at > static_cast<std::size_t>(end_ - begin_)) [[unlikely]]
      return fail();
    if (!failed_) at_ = begin_ + at;
  }
  void skip(std::uint64_t count) {
    if (count > left()) [[unlikely]]
      return fail();
    at_ += count;
  }

  std::uint8_t u8() {
    if (at_ == end_) [[unlikely]]
      return fail(), std::uint8_t{0};
    return *at_++;
  }
  std::uint16_t u16() { return fixed<std::uint16_t>(); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  std::uint32_t u24() {
    const std::uint32_t a = u8(), b = u8(), c = u8();
    return Big ? a << 16 | b << 8 | c : c << 16 | b << 8 | a;
  }
  /// An integer of 1 to 8 bytes; near the end of the bytes, of 1, 2, 3, 4 or 8. Any other size fails.
  std::uint64_t fixed_size(unsigned size) {
    if (left() >= sizeof(std::uint64_t) && size - 1 < sizeof(std::uint64_t)) [[likely]] {
      const unsigned rest = 64 - 8 * size;
      const std::uint64_t value = Cursor(*this).u64();
      at_ += size;
      return Big ? value >> rest : value << rest >> rest;
    }
    switch (size) {
      case 1: return u8();
      case 2: return u16();
      case 3: return u24();
      case 4: return u32();
      case 8: return u64();
      default: return fail(), 0;
    }
  }
  std::uint64_t offset(unsigned offset_size) { return offset_size == 8 ? u64() : u32(); }
  /// Reserved lengths fail.
  InitialLength initial_length() {
    const std::uint32_t length = u32();
    if (length == 0xFFFFFFFF) return {u64(), 8};
    if (length >= 0xFFFFFFF0) [[unlikely]]
      fail();
    return {failed_ ? 0 : length, 4};
  }

  /// Padding (redundant high zero bytes) is accepted; a number of more than 64 bits fails.
  std::uint64_t uleb() {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return *at_++;
    if (left() >= 2 && at_[1] < 0x80) return static_cast<std::uint64_t>(two_bytes());
    return long_leb(long_uleb(at_, end_));
  }
  /// Two's complement with the sign in bit 6 of the last byte, not zigzag. A number of more than 64 bits fails.
  std::int64_t sleb() {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return (*at_++ ^ 0x40) - 0x40;
    if (left() >= 2 && at_[1] < 0x80) return (two_bytes() ^ 0x2000) - 0x2000;
    return static_cast<std::int64_t>(long_leb(long_sleb(at_, end_)));
  }
  /// Steps over a LEB128 number without a look at its value.
  void skip_leb() {
    while (at_ != end_)
      if (*at_++ < 0x80) return;
    fail();
  }
  /// Text up to a NUL byte, in place.
  std::string_view c_string() {
    const void* nul = at_ == end_ ? nullptr : std::memchr(at_, 0, left());
    if (nul == nullptr) [[unlikely]]
      return fail(), std::string_view();
    const auto* past = static_cast<const std::uint8_t*>(nul);
    const std::string_view text(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(past - at_));
    at_ = past + 1;
    return text;
  }
  Bytes bytes(std::uint64_t count) {
    if (count > left()) [[unlikely]]
      return fail(), Bytes();
    return std::as_bytes(std::span(std::exchange(at_, at_ + count), static_cast<std::size_t>(count)));
  }
  /// For a caller that finds a value it cannot go on with.
  void fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  template <class T>
  T fixed() {
    if (sizeof(T) > left()) [[unlikely]]
      return fail(), T{0};
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    if constexpr (Big != (std::endian::native == std::endian::big)) value = std::byteswap(value);
    return value;
  }
  int two_bytes() {
    at_ += 2;
    return (at_[-2] & 0x7F) | at_[-1] << 7;
  }
  /// The slow ways take and give pointers by value: a cursor whose address nobody holds stays in registers.
  struct LongLeb {
    std::uint64_t value;
    const std::uint8_t* next;  ///< null: cut, or of more than 64 bits
  };
  [[gnu::noinline]] static LongLeb long_uleb(const std::uint8_t* at, const std::uint8_t* end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at != end; shift += 7) {
      const std::uint8_t b = *at++;
      const std::uint64_t bits = b & 0x7Fu;
      if (shift < 64 ? bits << shift >> shift != bits : bits != 0) break;
      if (shift < 64) value |= bits << shift;
      if (b < 0x80) return {value, at};
    }
    return {};
  }
  [[gnu::noinline]] static LongLeb long_sleb(const std::uint8_t* at, const std::uint8_t* end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at != end; shift += 7) {
      const std::uint8_t b = *at++;
      const std::uint64_t bits = b & 0x7Fu;
      if (shift < 63) value |= bits << shift;
      else if (bits != 0 && bits != 0x7F) break;
      else if (shift == 63) value |= bits << 63;
      else if ((bits != 0) != (value >> 63 != 0)) break;
      if (b >= 0x80) continue;
      if (shift < 57 && (b & 0x40) != 0) value |= ~std::uint64_t{0} << (shift + 7);
      return {value, at};
    }
    return {};
  }
  std::uint64_t long_leb(LongLeb read) {
    if (read.next == nullptr) [[unlikely]]
      return fail(), 0;
    at_ = read.next;
    return read.value;
  }

  const std::uint8_t *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  bool failed_ = false;
};

using LittleCursor = Cursor<false>;
using BigCursor = Cursor<true>;

}  // namespace symcached::dwarf
