#pragma once
/// UTF-8, one character at a time.
#include <cstddef>
#include <string>
#include <string_view>

namespace symcached {

/// Bytes of the character at the start of `text`, which is not empty; 0 if it is none (overlong, surrogate, too large,
/// cut).
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

/// @param code  a Unicode scalar value
void append_utf8(std::string& out, char32_t code);

/// For a terminal or a log: control characters and bytes that are no UTF-8 as \x1b.
std::string escaped(std::string_view text);

/// For JSON: each byte that is no UTF-8 becomes U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace symcached
