#include "symbolize/place.hpp"

#include <charconv>

#include "model/managed_module.hpp"

namespace symcached::symbolize {
namespace {

bool skip_prefix(std::string_view& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  return hex;
}

template <class Number>
std::optional<Number> parse_digits(std::string_view text, int base) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
  const bool hex = skip_prefix(text);
  return parse_digits<std::uint32_t>(text, hex ? 16 : 10);
}

}  // namespace

std::optional<std::uint64_t> parse_address(std::string_view text) {
  skip_prefix(text);
  return parse_digits<std::uint64_t>(text, 16);
}

std::optional<MethodPlace> parse_method_place(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  auto method = parse_number(text.substr(0, colon));
  const auto il_offset = parse_number(text.substr(colon + 1));
  if (!method || !il_offset) return std::nullopt;
  if (model::is_method_token(*method)) *method &= model::kMaxMethodRow;
  if (*method == 0 || *method > model::kMaxMethodRow) return std::nullopt;
  return MethodPlace{*method, *il_offset};
}

}  // namespace symcached::symbolize
