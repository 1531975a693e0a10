#include "api/symbolicator/json_members.hpp"

#include <charconv>
#include <limits>

namespace symcached::api {
namespace {

namespace json = boost::json;

std::string_view view_of(const json::string& text) { return {text.data(), text.size()}; }

std::string_view kind_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "true or false";
    case json::kind::int64: return value.get_int64() < 0 ? "a number below zero" : "a number";
    case json::kind::uint64: return "a number";
    case json::kind::double_: return "a number that is not whole, or too large";
    case json::kind::string: return "text";
    case json::kind::array: return "an array";
    case json::kind::object: return "an object";
  }
  return "nothing";
}

}  // namespace

std::optional<std::uint64_t> parse_address(const json::value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  const json::string* const given = value.if_string();
  if (given == nullptr) return std::nullopt;
  std::string_view digits = view_of(*given);
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (is_hex) digits.remove_prefix(2);
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, is_hex ? 16 : 10);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return address;
}

const json::value* JsonMembers::find(std::string_view key) const {
  const json::value* const found = object_.if_contains({key.data(), key.size()});
  return found == nullptr || found->is_null() ? nullptr : found;
}

void JsonMembers::wrong(std::string_view key, std::string_view why) {
  if (fault_.empty()) fault_ = fmt::format("{}: {}", key, why);
}

void JsonMembers::other(std::string_view key, std::string_view wanted, const json::value& found) {
  if (fault_.empty()) fault_ = fmt::format("{}: wanted {}, found {}", key, wanted, kind_of(found));
}

void JsonMembers::needed(std::string_view key) {
  if (!has(key)) wrong(key, "missing");
}

template <class Out>
void JsonMembers::read_text(std::string_view key, Out& out) {
  const json::value* const found = find(key);
  if (found == nullptr) return;
  if (const json::string* const given = found->if_string()) out = view_of(*given);
  else other(key, "text", *found);
}

void JsonMembers::text(std::string_view key, std::string_view& out) { read_text(key, out); }
void JsonMembers::text(std::string_view key, std::string& out) { read_text(key, out); }
void JsonMembers::text(std::string_view key, std::optional<std::string_view>& out) { read_text(key, out); }

void JsonMembers::flag(std::string_view key, std::optional<bool>& out) {
  const json::value* const found = find(key);
  if (found == nullptr) return;
  if (const bool* const given = found->if_bool()) out = *given;
  else other(key, "true or false", *found);
}

void JsonMembers::flag(std::string_view key, bool& out) {
  std::optional<bool> given;
  flag(key, given);
  out = given.value_or(out);
}

void JsonMembers::address(std::string_view key, std::optional<std::uint64_t>& out) {
  const json::value* const found = find(key);
  if (found == nullptr) return;
  if (const auto given = parse_address(*found)) out = given;
  else if (found->is_string()) wrong(key, "wanted a number of at most 64 bits, found other text");
  else other(key, "a number, or its digits in text (0x…)", *found);
}

void JsonMembers::address(std::string_view key, std::uint64_t& out) {
  std::optional<std::uint64_t> given;
  address(key, given);
  out = given.value_or(out);
}

void JsonMembers::number(std::string_view key, std::optional<std::uint32_t>& out) {
  const json::value* const found = find(key);
  if (found == nullptr) return;
  const auto given = found->is_number() ? parse_address(*found) : std::nullopt;
  if (!given) return other(key, "a whole number", *found);
  if (*given > std::numeric_limits<std::uint32_t>::max()) return wrong(key, "wanted a number of at most 32 bits");
  out = static_cast<std::uint32_t>(*given);
}

const json::array* JsonMembers::array(std::string_view key) {
  const json::value* const found = find(key);
  if (found == nullptr) return nullptr;
  if (!found->is_array()) other(key, "an array", *found);
  return found->if_array();
}

const json::object* JsonMembers::object(std::string_view key) {
  const json::value* const found = find(key);
  if (found == nullptr) return nullptr;
  if (!found->is_object()) other(key, "an object", *found);
  return found->if_object();
}

}  // namespace symcached::api
