#pragma once
/// Integers as files hold them: a fixed byte order and no alignment, so a mapping can be viewed on any host.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace symcached {

template <class T, std::endian Order>
class Packed {
 public:
  Packed() = default;
  Packed(T value) { store(value); }  // NOLINT: reads like the integer it holds
  operator T() const {               // NOLINT
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    return in_order(value);
  }

 private:
  static constexpr T in_order(T value) {
    if constexpr (Order == std::endian::native || sizeof(T) == 1) return value;
    else return static_cast<T>(std::byteswap(static_cast<std::make_unsigned_t<T>>(value)));
  }
  void store(T value) {
    value = in_order(value);
    std::memcpy(bytes_.data(), &value, sizeof(T));
  }
  std::array<std::byte, sizeof(T)> bytes_{};
};

using u8le = Packed<std::uint8_t, std::endian::little>;
using u16le = Packed<std::uint16_t, std::endian::little>;
using u32le = Packed<std::uint32_t, std::endian::little>;
using u64le = Packed<std::uint64_t, std::endian::little>;
using i16le = Packed<std::int16_t, std::endian::little>;
using i32le = Packed<std::int32_t, std::endian::little>;
using u16be = Packed<std::uint16_t, std::endian::big>;
using u32be = Packed<std::uint32_t, std::endian::big>;
using u64be = Packed<std::uint64_t, std::endian::big>;

static_assert(sizeof(u32le) == 4 && alignof(u32le) == 1 && std::is_trivially_copyable_v<u32le>);

}  // namespace symcached
