#include "app/llvm_request.hpp"

#include <charconv>
#include <utility>

#include "base/ascii.hpp"
#include "base/hex.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view without_blanks_before(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  return first == text.npos ? std::string_view() : text.substr(first);
}

std::string_view without_blanks(std::string_view text) {
  text = without_blanks_before(text);
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

/// The next word, in quotes if it has blanks. Empty: there is none, or its quotes do not end.
std::string_view take_word(std::string_view& text) {
  const char quote = text.front();
  std::size_t end = text.find_first_of(" \n\r"), behind = end;
  if (quote == '"' || quote == '\'') {
    text.remove_prefix(1);
    end = text.find(quote);
    if (end == text.npos) return {};
    behind = end + 1;
  }
  const std::string_view word = text.substr(0, end);
  text = behind >= text.size() ? std::string_view() : text.substr(behind);
  return word;
}

/// @return what is wrong
std::string_view take_module(std::string_view& text, LlvmQuestion& question) {
  constexpr std::string_view kTwice = "duplicate input file specification prefix",
                             kNone = "no input filename has been specified";
  bool is_file = false, is_build_id = false;
  for (;;) {
    text = without_blanks_before(text);
    if (take_prefix(text, "FILE:")) {
      if (std::exchange(is_file, true) || is_build_id) return kTwice;
    } else if (take_prefix(text, "BUILDID:")) {
      if (std::exchange(is_build_id, true) || is_file) return kTwice;
    } else {
      break;
    }
  }
  if (text.empty()) return kNone;
  const std::string_view word = take_word(text);
  if (word.empty()) return kNone;
  if (!is_build_id) {
    question.module = word;
    return {};
  }
  const auto id = parse_build_id(word);
  if (!id) return "wrong format of build-id";
  question.build_id = *id;
  return {};
}

/// @return what is wrong
std::string_view read_place(std::string_view text, bool is_hexadecimal, LlvmQuestion& question) {
  text = without_blanks(text);
  if (text.empty()) return "no module offset has been specified";
  std::string_view place = text.substr(0, text.find_first_of(" \n\r"));
  const bool starts_with_digit = place.front() >= '0' && place.front() <= '9';
  if (is_hexadecimal && !take_prefix(place, "0x")) take_prefix(place, "0X");
  if (const auto number = parse_llvm_number(place, is_hexadecimal ? 16 : 0)) {
    question.offset = *number;
    return {};
  }
  if (starts_with_digit) return "expected a number as module offset";
  question.symbol = place;
  const std::size_t plus = place.rfind('+');
  if (plus == place.npos || plus == 0) return {};
  if (const auto offset = parse_llvm_number(place.substr(plus + 1))) {
    question.symbol = place.substr(0, plus);
    question.offset = *offset;
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_llvm_number(std::string_view text, int base) {
  if (base == 0) {
    base = 10;
    const char mark = text.size() > 1 && text[0] == '0' ? lower_ascii(text[1]) : '\0';
    if (mark != '\0') base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    if (mark == 'x' || mark == 'b' || mark == 'o') text.remove_prefix(2);
    else if (mark >= '0' && mark <= '9') text.remove_prefix(1);
    else if (mark != '\0') base = 10;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> parse_build_id(std::string_view text) {
  std::string lower = lower_ascii(text);
  if (lower.empty() || lower.size() % 2 != 0 || !is_hex(lower)) return std::nullopt;
  return lower;
}

LlvmQuestion read_llvm_question(std::string_view line, const LlvmReading& how) {
  LlvmQuestion question;
  std::string_view text = line;
  if (take_prefix(text, "CODE ")) question.what = LlvmQuestion::What::code;
  else if (take_prefix(text, "DATA ")) question.what = LlvmQuestion::What::data;
  else if (take_prefix(text, "FRAME ")) question.what = LlvmQuestion::What::frame;
  if (!how.has_module) question.what_is_wrong = take_module(text, question);
  else if (text.starts_with("FILE:") || text.starts_with("BUILDID:"))
    question.what_is_wrong = "input file has already been specified";
  if (question.what_is_wrong.empty()) question.what_is_wrong = read_place(text, how.is_hexadecimal, question);
  return question;
}

}  // namespace symcached::app
