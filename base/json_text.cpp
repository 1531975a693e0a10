#include "base/json_text.hpp"

#include <cstdint>
#include <cstring>

#include "base/utf8.hpp"

namespace symcached {
namespace {

constexpr std::uint64_t each_byte(std::uint8_t value) { return std::uint64_t{0x0101010101010101} * value; }

/// Eight characters at a time, any of which is a quote, a backslash, a control character or no ASCII. May also be true
/// where only the last bits of such a test borrow from each other: the caller looks again.
bool may_be_special(std::uint64_t eight) {
  const auto has_zero = [](std::uint64_t v) { return (v - each_byte(1)) & ~v; };
  return ((has_zero(eight ^ each_byte('"')) | has_zero(eight ^ each_byte('\\')) | (eight - each_byte(0x20)) | eight) &
          each_byte(0x80)) != 0;
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// Characters at the start of `text` that stand for themselves.
std::size_t plain_length(std::string_view text) {
  std::size_t n = 0;
  for (std::uint64_t eight = 0; text.size() - n >= sizeof(eight); n += sizeof(eight)) {
    std::memcpy(&eight, text.data() + n, sizeof(eight));
    if (may_be_special(eight)) break;
  }
  while (n < text.size() && is_plain(text[n])) ++n;
  return n;
}

void append_control(char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0xF];
}

}  // namespace

void append_json_text(std::string_view text, std::string& out) {
  out += '"';
  for (;;) {
    const std::size_t plain = plain_length(text);
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0) append_utf8(out, 0xFFFD);
    else if (length > 1) out.append(text.data(), length);
    else if (text.front() == '"' || text.front() == '\\') (out += '\\') += text.front();
    else append_control(text.front(), out);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace symcached
