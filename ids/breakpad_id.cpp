#include "ids/breakpad_id.hpp"

#include "base/ascii.hpp"

namespace symcached {

std::optional<DebugId> parse_breakpad_id(std::string_view text) {
  constexpr std::size_t kGuidDigits = 32, kAgeDigits = 8;
  if (text.size() < kGuidDigits || text.size() > kGuidDigits + kAgeDigits) return std::nullopt;
  const auto guid = Guid::parse(text.substr(0, kGuidDigits));
  if (!guid) return std::nullopt;
  DebugId id{*guid, 0};
  for (const char c : text.substr(kGuidDigits)) {
    const auto digit = hex_digit(c);
    if (!digit) return std::nullopt;
    id.age = id.age << 4 | *digit;
  }
  return id;
}

}  // namespace symcached
