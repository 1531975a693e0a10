#include "symbolize/token_trace.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <iterator>

#include "base/utf8.hpp"
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

/// Whether a debug file may speak of it.
/// @param method  "   at Flow.Items(Int32 n)+MoveNext()"
bool may_be_known(std::string_view method) {
  if (method.ends_with("+MoveNext()")) return true;
  return method.rfind(")+") == method.npos;  // behind the parameters; names of nested types have no parentheses
}

}  // namespace

std::optional<TraceFrame> parse_token_frame(std::string_view line) {
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
  return TraceFrame{.before = text.substr(0, module),
                    .module = text.substr(module, token - module),
                    .after = line.substr(end),
                    .place = MethodPlace{*method & model::kMaxMethodRow, *il_offset},
                    .is_known = may_be_known(text.substr(0, in))};
}

void append_token_text(const TraceFrame& frame, const Frame& known, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}{}:line {}{}", frame.before, known.file, known.line, frame.after);
}

void append_token_json(const TraceFrame& frame, const Frame* known, std::string& out) {
  const auto& place = std::get<MethodPlace>(frame.place);
  boost::json::object object{{"module", valid_utf8(frame.module)},
                             {"token", fmt::format("{:#010x}", model::method_token(place.row))},
                             {"il_offset", place.il_offset}};
  if (known != nullptr) {
    if (!known->function.empty()) object["function"] = valid_utf8(known->function);
    object["file"] = valid_utf8(known->file);
    object["line"] = known->line;
    if (known->column != 0) object["column"] = known->column;
  }
  out += boost::json::serialize(object);
}

}  // namespace symcached::symbolize
