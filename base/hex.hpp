#pragma once
/// Bytes as hexadecimal digits.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached {

std::string to_hex(Bytes data);  ///< lower case, two digits a byte
/// In either case. Nothing if the digits are odd in number, or others.
std::optional<std::vector<std::byte>> parse_hex(std::string_view digits);

/// Whether there is nothing but digits, in either case; true of an empty text.
bool is_hex(std::string_view text);
/// The same, in lower case.
bool is_lower_hex(std::string_view text);

}  // namespace symcached
