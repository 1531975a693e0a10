#include "profiling/token.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/ascii.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kLongest = 4096;  ///< bytes of a header

/// The time depends on the length of what was sent alone.
bool same(std::string_view sent, std::string_view token) {
  unsigned differs = sent.size() != token.size();
  for (std::size_t i = 0; i < sent.size(); ++i)
    differs |= static_cast<unsigned char>(sent[i]) ^ static_cast<unsigned char>(token[i % token.size()]);
  return differs == 0;
}

std::optional<unsigned> base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return std::nullopt;
}

std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    const auto digit = base64_digit(c);
    if (!digit) return std::nullopt;
    held = (held << 6 | *digit) & 0xFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(held >> bits & 0xFF);
  }
  return out;
}

}  // namespace

bool carries_token(std::string_view authorization, std::string_view token) {
  if (authorization.size() > kLongest || token.empty()) return false;
  const std::size_t blank = std::min(authorization.find(' '), authorization.size());
  const std::string scheme = lower_ascii(authorization.substr(0, blank));
  const std::string_view rest =
      authorization.substr(std::min(authorization.find_first_not_of(' ', blank), authorization.size()));
  if (scheme == "bearer") return same(rest, token);
  if (scheme != "basic") return false;
  const auto pair = from_base64(rest);
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  return colon != std::string::npos && same(std::string_view(*pair).substr(colon + 1), token);
}

}  // namespace symcached::pprof
