#include "symbolize/token_trace.hpp"

#include <fmt/format.h>

#include <charconv>

#include "model/managed_module.hpp"

namespace symcached::symbolize {
namespace {

constexpr std::string_view kIn = " in ", kToken = ":token 0x", kOffset = "+0x";

/// Lower-case hexadecimal, as .NET prints it; capitals are taken too.
std::optional<std::uint32_t> parse_hex(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// @param method  "   at Flow.Items(Int32 n)+MoveNext()"
TokenFrame::Member member_of(std::string_view method) {
  constexpr std::string_view kMoveNext = "+MoveNext()";
  if (method.ends_with(kMoveNext)) return TokenFrame::Member::move_next;
  // Behind the parameters; names of nested types have no parentheses.
  const std::size_t plus = method.rfind(")+");
  return plus == method.npos ? TokenFrame::Member::method : TokenFrame::Member::other;
}

}  // namespace

std::optional<TokenFrame> parse_token_frame(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r") + 1;
  const std::string_view text = line.substr(0, end);
  const std::size_t token = text.rfind(kToken);
  if (token == text.npos) return std::nullopt;
  const std::string_view numbers = text.substr(token + kToken.size());
  const std::size_t plus = numbers.find(kOffset);
  const std::size_t in = text.substr(0, token).rfind(kIn);
  if (plus == numbers.npos || in == text.npos) return std::nullopt;
  const auto method = parse_hex(numbers.substr(0, plus));
  const auto il_offset = parse_hex(numbers.substr(plus + kOffset.size()));
  if (!method || !il_offset || !model::is_method_token(*method)) return std::nullopt;
  const std::size_t module = in + kIn.size();
  return TokenFrame{.before = text.substr(0, module),
                    .module = text.substr(module, token - module),
                    .after = line.substr(end),
                    .row = *method & model::kMaxMethodRow,
                    .il_offset = *il_offset,
                    .member = member_of(text.substr(0, in))};
}

std::string resolved_line(const TokenFrame& frame, std::string_view file, std::uint32_t line) {
  return fmt::format("{}{}:line {}{}", frame.before, file, line, frame.after);
}

}  // namespace symcached::symbolize
