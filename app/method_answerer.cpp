#include "app/method_answerer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <iterator>

#include "app/frame_text.hpp"
#include "base/utf8.hpp"
#include "model/managed_module.hpp"

namespace symcached::app {
namespace {

std::optional<std::uint32_t> parse_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

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

bool MethodAnswerer::answer(std::string_view line, std::string& out) {
  const std::string_view text = trimmed(line);
  const auto place = parse_method_place(text);
  if (place) {
    append(&*place, out);
    return true;
  }
  if (options_.json) append_json_error(text, module_, "not a method and an IL offset", out);
  else append(nullptr, out);
  if (text.empty()) return true;
  fmt::print(stderr,
             "symcached lookup: \"{}\" is not METHOD:IL; write row or token, colon, IL offset, such as 4:26 or "
             "0x06000004:0x1a\n",
             escaped(text));
  return false;
}

void MethodAnswerer::append(const MethodPlace* asked, std::string& out) const {
  ManagedFrame frame;
  std::string name;
  if (asked != nullptr) {
    const std::uint32_t row = cache_.row_in_trace(asked->row);
    const auto place = cache_.lookup(row, asked->il_offset);
    if (options_.names) name = place ? place->method.text() : cache_.method(asked->row).name.text();
    if (place) frame = {.file = place->document, .line = place->line, .column = place->column};
    if (place && sources_) {
      const auto source = sources_->source(place->document);
      if (source) frame.source = numbered_lines(*source, place->line, options_.source_lines);
      frame.url = sources_->url_of(place->document).value_or("");
    }
    frame.is_known = place.has_value() || !name.empty();
    frame.token = model::method_token(asked->row);
    frame.il_offset = asked->il_offset;
  }
  frame.function = name;
  if (options_.json) append_json(frame, module_, options_.basenames, out);
  else append_text(frame, options_.names, options_.basenames, out);
}

}  // namespace symcached::app
