#pragma once
/// The numbers and texts of WebAssembly's binary format.
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace symcached::wasm {

/// Forward cursor; knows where in the file it is.
class Cursor {
 public:
  Cursor(Bytes data, std::uint64_t offset) : in_(data, offset), base_(offset) {}

  bool at_end() const { return in_.at_end(); }
  std::uint64_t offset() const { return base_ + in_.position(); }
  Bytes rest() const { return in_.rest(); }

  Read<std::uint8_t> byte(std::string_view field) {
    SC_TRY(const auto value, in_.read<u8le>(field));
    return std::uint8_t{value};
  }
  /// Unsigned LEB128 of at most 32 bits in at most 5 bytes, which may be more than it needs.
  Read<std::uint32_t> number(std::string_view field) {
    SC_TRY(const auto value, leb(5, field));
    if (value > 0xFFFFFFFF) return too_large(field, offset(), value, 0xFFFFFFFF);
    return static_cast<std::uint32_t>(value);
  }
  /// The same of 64 bits in at most 10 bytes.
  Read<std::uint64_t> wide_number(std::string_view field) { return leb(10, field); }
  Read<Bytes> take(std::uint64_t size, std::string_view field) { return in_.take(size, field); }
  /// A name: its length in bytes, then UTF-8, which is not checked here.
  Read<std::string_view> text(std::string_view field) {
    SC_TRY(const auto size, number(field));
    SC_TRY(const auto bytes, in_.take(size, field));
    return as_text(bytes);
  }

 private:
  Read<std::uint64_t> leb(unsigned most_bytes, std::string_view field) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < most_bytes; ++i) {
      SC_TRY(const std::uint8_t b, byte(field));
      if (i == 9 && b > 1) break;
      value |= std::uint64_t{b & 0x7Fu} << (7 * i);
      if (b < 0x80) return value;
    }
    return bad_value(field, offset(), value);
  }

  ByteReader in_;
  std::uint64_t base_;
};

}  // namespace symcached::wasm
