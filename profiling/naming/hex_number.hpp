#pragma once
/// Addresses in text.
#include <charconv>
#include <cstdint>
#include <string>

namespace symcached::pprof {

/// Lower-case digits, as few as it takes.
inline std::string hex_number(std::uint64_t value) {
  char digits[16];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value, 16).ptr};
}

}  // namespace symcached::pprof
