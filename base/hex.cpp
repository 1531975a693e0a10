#include "base/hex.hpp"

namespace symcached {

std::string to_hex(Bytes data) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(data.size() * 2);
  for (const std::byte b : data) {
    text += kDigits[std::to_integer<unsigned>(b) >> 4];
    text += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

}  // namespace symcached
