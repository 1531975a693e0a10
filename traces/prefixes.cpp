#include "traces/prefixes.hpp"

#include <algorithm>

#include "traces/scan.hpp"

namespace symcached::traces {
namespace {

bool only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == text.npos;
}

/// ESC [ 1 ; 31 m
bool take_colour(Scan& in) {
  Scan ahead = in;
  if (!ahead.take("\x1b[")) return false;
  const auto codes = ahead.until("m");
  if (!codes || !only(*codes, "0123456789;")) return false;
  in = ahead;
  return true;
}

bool take_quote(Scan& in) { return in.take("> "); }

/// [   12.345678], [  T123], [2026-01-31 12:00:00.123], <4>
bool take_brackets(Scan& in) {
  Scan ahead = in;
  ahead.blanks();
  if (ahead.take('<')) {
    const auto level = ahead.until(">");
    if (!level || level->empty() || level->size() > 3 || !only(*level, "0123456789")) return false;
  } else {
    if (!ahead.take('[')) return false;
    const auto inside = ahead.until("]");
    if (!inside || inside->empty() || !only(*inside, " 0123456789.:-+TZC")) return false;
    ahead.take(' ');
  }
  in = ahead;
  return true;
}

/// "host srv[812]: ", "kernel: ", behind a time
bool take_program(Scan& in) {
  constexpr std::size_t kLongest = 160;
  Scan ahead = in;
  const auto head = ahead.until(": ");
  if (!head || head->size() > kLongest || head->empty()) return false;
  if (std::ranges::count(*head, ' ') > 1) return false;
  in = ahead;
  return true;
}

/// "Jan 31 12:00:00 host srv[812]: ", "2026-01-31T12:00:00.123+0100 host srv[812]: "
bool take_time(Scan& in) {
  const auto shaped = [](std::string_view text, std::string_view shape) {
    if (text.size() < shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i] == '0' ? !is_decimal(text[i]) && text[i] != ' ' : shape[i] != 'a' && shape[i] != text[i])
        return false;
    return true;
  };
  Scan ahead = in;
  if (shaped(in.rest(), "aaa 00 00:00:00 ")) {
    ahead.go_to(in.position() + 16);
  } else if (shaped(in.rest(), "0000-00-00a00:00:00")) {
    ahead.go_to(in.position() + 19);
    ahead.word();
    if (!ahead.take(' ')) return false;
  } else {
    return false;
  }
  take_program(ahead);
  in = ahead;
  return true;
}

/// "01-31 12:00:00.123   812   815 F DEBUG   : ", "F/DEBUG   (  812): "
bool take_logcat(Scan& in) {
  Scan ahead = in;
  const std::string_view rest = in.rest();
  const bool is_long = rest.size() > 18 && rest[2] == '-' && rest[5] == ' ' && rest[8] == ':' && rest[14] == '.';
  const bool is_brief = rest.size() > 2 && rest[1] == '/' && std::string_view("VDIWEF").find(rest[0]) != rest.npos;
  if (!is_long && !is_brief) return false;
  const auto head = ahead.until(is_long ? " : " : "): ");
  if (!head) {
    if (!is_long || !ahead.until(": ")) return false;
    ahead.go_to(in.position() + 18);
    if (!ahead.until(": ")) return false;
  }
  in = ahead;
  return true;
}

constexpr bool (*kMarks[])(Scan&) = {take_colour, take_quote, take_brackets, take_time, take_logcat};

}  // namespace

Beginnings beginnings_of(std::string_view line) {
  Beginnings found;
  Scan in(line);
  while (found.count < Beginnings::kMost && std::ranges::any_of(kMarks, [&](auto mark) { return mark(in); }))
    found.at[found.count++] = in.position();
  return found;
}

}  // namespace symcached::traces
