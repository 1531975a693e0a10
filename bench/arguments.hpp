#pragma once
/// What the programs that bench/run.py runs have in common: their arguments, and files of questions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/mapped_file.hpp"

namespace symcached::bench {

[[noreturn]] inline void die(std::string_view program, std::string_view why) {
  fmt::print(stderr, "{}: {}\n", program, why);
  std::exit(1);
}

/// The whole text as a number, without sign or prefix.
template <class Number>
std::optional<Number> parse(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes the first line of `text`, without its end.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// What a program of lookups is called with: CACHE QUESTIONS [--demangle] [--print] [--rounds N], or CACHE --choose N.
struct LookupOptions {
  std::string cache, questions;
  bool demangle = false, print = false;
  std::uint64_t rounds = 1, choose = 0;
};

inline LookupOptions lookup_options_of(std::string_view program, std::span<char*> arguments) {
  LookupOptions options;
  std::vector<std::string> files;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--demangle") {
      options.demangle = true;
    } else if (argument == "--print") {
      options.print = true;
    } else if ((argument == "--rounds" || argument == "--choose") && i + 1 < arguments.size()) {
      const auto number = parse<std::uint64_t>(arguments[++i], 10);
      if (!number || *number == 0) die(program, fmt::format("{} wants a number", argument));
      (argument == "--rounds" ? options.rounds : options.choose) = *number;
    } else {
      files.emplace_back(argument);
    }
  }
  if (files.size() != (options.choose == 0 ? 2 : 1))
    die(program, fmt::format("usage: {0} CACHE QUESTIONS [--demangle] [--print] [--rounds N], or {0} CACHE --choose N",
                             program));
  options.cache = files[0];
  if (options.choose == 0) options.questions = files[1];
  return options;
}

/// One question a line.
/// @param parse_line  gives the question, or nothing for what is none
template <class ParseLine>
auto read_questions(std::string_view program, const std::string& path, const ParseLine& parse_line) {
  const auto file = MappedFile::open(path);
  if (!file) die(program, file.error());
  std::string_view text = as_text(file->bytes());
  std::vector<typename decltype(parse_line(text))::value_type> all;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const auto question = parse_line(line);
    if (!question) die(program, fmt::format("{}: \"{}\" is no question", path, line));
    all.push_back(*question);
  }
  if (all.empty()) die(program, path + ": holds no questions");
  return all;
}

}  // namespace symcached::bench
