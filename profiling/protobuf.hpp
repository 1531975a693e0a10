#pragma once
/// Writes messages of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/), as far as profiles need it.
#include <cstdint>
#include <span>
#include <string_view>

#include "base/byte_writer.hpp"

namespace symcached::pprof {

class Message {
 public:
  /// Also bools. 0 is what a field that is left out has.
  void number(unsigned field, std::uint64_t value) {
    if (value == 0) return;
    key(field, kVarint);
    out_.put_uleb(value);
  }
  /// All of them, zeros too.
  void numbers(unsigned field, std::span<const std::uint64_t> values) {
    ByteWriter packed;
    for (const std::uint64_t value : values) packed.put_uleb(value);
    bytes(field, packed.bytes());
  }
  void text(unsigned field, std::string_view value) { bytes(field, as_bytes(value)); }
  void message(unsigned field, const Message& value) { bytes(field, value.out_.bytes()); }

  Bytes bytes() const { return out_.bytes(); }

 private:
  static constexpr unsigned kVarint = 0, kLength = 2;

  void key(unsigned field, unsigned type) { out_.put_uleb(field << 3 | type); }
  void bytes(unsigned field, Bytes value) {
    key(field, kLength);
    out_.put_uleb(value.size());
    out_.put_bytes(value);
  }

  ByteWriter out_;
};

}  // namespace symcached::pprof
