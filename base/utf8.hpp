#pragma once
/// UTF-8, one character at a time.
#include <cstddef>
#include <string>
#include <string_view>

namespace symcached {

/// Bytes of the character at the start of `text`, which is not empty; 0 if it is none (overlong, surrogate, too large,
/// cut).
std::size_t utf8_length(std::string_view text);

/// @param code  a Unicode scalar value
void append_utf8(std::string& out, char32_t code);

}  // namespace symcached
