#include "demangle/rust_legacy.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace symcached::demangle {
namespace {

constexpr std::size_t kHashSize = 17;  ///< of `h` and its digits
constexpr std::string_view kHashLength = "17";

/// What stands before the suffix of the compiler's or the linker's later passes: `.llvm.123`.
std::string_view without_suffix(std::string_view name) {
  // Identifiers hold dots too, so the end is the last `E` before a dot.
  if (name.ends_with('E') || !name.contains('.')) return name;  // as nearly all names are: no search from the end
  const std::size_t end = name.rfind("E.");
  return end == name.npos ? name : name.substr(0, end + 1);
}

struct Escape {
  std::string_view code, text;
};
constexpr Escape kEscapes[] = {{"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
                               {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};

/// @param code  what stands between two dollar signs
bool append_escape(std::string& out, std::string_view code) {
  if (const auto* known = std::ranges::find(kEscapes, code, &Escape::code); known != std::end(kEscapes)) {
    out += known->text;
    return true;
  }
  if (code.size() < 2 || code.size() > 7 || code.front() != 'u') return false;
  std::uint32_t value = 0;
  for (const char c : code.substr(1)) {
    const auto digit = hex_digit(c);
    if (!digit || (c >= 'A' && c <= 'F')) return false;
    value = value << 4 | *digit;
  }
  const bool printable = value >= 0x20 && value != 0x7F && !(value >= 0x80 && value < 0xA0);
  if (!printable || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
  append_utf8(out, value);
  return true;
}

void append_identifier(std::string& out, std::string_view rest) {
  if (rest.starts_with("_$")) rest.remove_prefix(1);  // an identifier may not start with a dollar sign
  while (!rest.empty()) {
    if (rest.starts_with("..")) {
      out += "::";
      rest.remove_prefix(2);
      continue;
    }
    if (rest.front() == '$') {
      const std::size_t end = rest.find('$', 1);
      if (end == rest.npos || !append_escape(out, rest.substr(1, end - 1))) break;
      rest.remove_prefix(end + 1);
      continue;
    }
    const std::size_t plain = std::min(rest.find_first_of("$.", 1), rest.size());
    out += rest.substr(0, plain);
    rest.remove_prefix(plain);
  }
  out += rest;  // from an escape on that is none
}

/// Takes an identifier with its length in front off `rest`.
std::optional<std::string_view> next_identifier(std::string_view& rest) {
  std::size_t size = 0, digits = 0;
  for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
    size = size * 10 + static_cast<std::size_t>(rest[digits] - '0');
    if (size > rest.size()) return std::nullopt;
  }
  if (digits == 0 || size > rest.size() - digits) return std::nullopt;
  const std::string_view identifier = rest.substr(digits, size);
  rest.remove_prefix(digits + size);
  return identifier;
}

std::string_view without_underscores(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('_'), name.size()));
}

}  // namespace

bool is_rust_legacy(std::string_view name) {
  name = without_suffix(name);
  if (!without_underscores(name).starts_with("ZN") || !name.ends_with('E')) return false;
  name.remove_suffix(1);
  if (name.size() < kHashSize + kHashLength.size()) return false;
  const std::string_view hash = name.substr(name.size() - kHashSize);
  name.remove_suffix(kHashSize);
  return name.ends_with(kHashLength) && hash.front() == 'h' &&
         std::ranges::all_of(hash.substr(1), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool append_rust_legacy(std::string& out, std::string_view name) {
  const std::size_t old_size = out.size();
  const std::string_view suffix = name.substr(without_suffix(name).size());
  std::string_view rest = without_underscores(without_suffix(name));
  rest.remove_prefix(2);
  rest.remove_suffix(1 + kHashSize + kHashLength.size());
  bool first = true;
  while (!rest.empty()) {
    const auto identifier = next_identifier(rest);
    if (!identifier) {
      out.resize(old_size);
      return false;
    }
    if (!first) out += "::";
    first = false;
    append_identifier(out, *identifier);
  }
  if (first) return false;  // nothing but a hash
  if (!suffix.empty()) ((out += " (") += suffix) += ')';
  return true;
}

}  // namespace symcached::demangle
