#include "app/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ranges>

#include "app/commands.hpp"
#include "base/hex.hpp"
#include "base/quantity.hpp"
#include "base/utf8.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kNotConverted = "Could not convert: ";  ///< how CLI11 begins; "NAME = VALUE" follows

/// An argument that nothing took; empty if there is none.
std::string left_over(const CLI::App& app) {
  for (const std::string& argument : app.remaining(true))
    if (argument != "--") return argument;
  return {};
}

/// Null if none was.
const CLI::App* chosen_in(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? nullptr : chosen.front();
}

std::string names_of(const std::vector<const CLI::App*>& commands) {
  return fmt::format(
      "{}", fmt::join(commands | std::views::transform([](const CLI::App* c) { return c->get_name(); }), ", "));
}

/// `--option=value` without the value, which may be long or secret.
std::string name_of(const std::string& option) { return option.substr(0, option.find('=')); }

/// "--cache-dir" of "--cache-dir: what CLI11 says".
std::string_view subject_of(std::string_view message) { return message.substr(0, message.find(':')); }

std::string without_credentials(std::string text) {
  const std::size_t scheme = text.find("://");
  if (scheme == text.npos) return text;
  const std::size_t start = scheme + 3;
  const std::size_t at = text.substr(0, text.find('/', start)).rfind('@');
  return at == text.npos ? text : text.erase(start, at + 1 - start);
}

std::string check_directory_or_url(std::string& text) {
  std::error_code error;
  if (std::filesystem::is_directory(text, error)) return {};
  const std::string shown = without_credentials(text);
  if (text.find('*') != text.npos)
    return fmt::format("\"{}\": _NT_SYMBOL_PATH syntax is not supported; give each directory and URL by itself", shown);
  if (const std::size_t scheme = text.find("://"); scheme != text.npos) {
    const std::string name = CLI::detail::to_lower(text.substr(0, scheme));
    if (name != "http" && name != "https") return fmt::format("\"{}\": use http or https", shown);
    return {};
  }
  return fmt::format("\"{}\": not a directory; give a directory or an http:// or https:// URL", shown);
}

std::string check_path_or_url(std::string& text) {
  std::error_code error;
  if (std::filesystem::is_regular_file(text, error)) return {};
  return check_directory_or_url(text);
}

}  // namespace

void complain(std::string_view command, std::string_view what) {
  fmt::print(stderr, "symcached{}{}: {}\n", command.empty() ? "" : " ", command, escaped(what));
}

int finish_output(std::string_view command, int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  complain(command, fmt::format("cannot write output: {}", std::strerror(errno == 0 ? EIO : errno)));
  return kCouldNot;
}

std::string command_of(const CLI::App& app) {
  std::string name;
  for (const CLI::App* chosen = chosen_in(app); chosen != nullptr; chosen = chosen_in(*chosen))
    (name += name.empty() ? "" : " ") += chosen->get_name();
  return name;
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::string what = error.what();
  const std::string extra = left_over(app);
  const CLI::App* last = &app;
  while (chosen_in(*last) != nullptr) last = chosen_in(*last);
  const bool needs_command = !last->get_subcommands({}).empty();
  if (extra.size() > 1 && extra.starts_with('-')) return fmt::format("unknown option {}", name_of(extra));
  if (!extra.empty() && needs_command)
    return fmt::format("unknown command \"{}\"; the commands are {}", extra, names_of(last->get_subcommands({})));
  if (!extra.empty()) return fmt::format("unexpected argument \"{}\"", extra);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return needs_command ? fmt::format("no command given; the commands are {}", names_of(last->get_subcommands({})))
                         : fmt::format("no {} given", what.substr(0, what.find(' ')));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (what.find("At Most") != what.npos) return fmt::format("{} was given more than once", subject_of(what));
    return fmt::format("{} needs a value", subject_of(what));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr && what.starts_with(kNotConverted)) {
    const std::string name = what.substr(kNotConverted.size(), what.find(" = ") - kNotConverted.size());
    return fmt::format("{}: unusable value \"{}\"", name, what.substr(std::min(what.size(), what.find(" = ") + 3)));
  }
  return what;
}

std::string check_clusters(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (!argument.starts_with("-f") || argument.starts_with("-f=")) continue;
    if (argument.find_first_not_of("fCs", 1) != argument.npos)
      return fmt::format("unknown option {}; write -f={} for a style", argument, argument.substr(2));
  }
  return {};
}

std::optional<std::pair<std::string, std::string>> parse_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0) return std::nullopt;
  const std::size_t value = line.find_first_not_of(' ', colon + 1);
  return std::pair(std::string(line.substr(0, colon)), std::string(value == line.npos ? "" : line.substr(value)));
}

CLI::Validator number_from(std::uint64_t lowest, std::uint64_t highest) {
  const auto check = [lowest, highest](std::string& text) -> std::string {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= lowest && value <= highest) return {};
    return fmt::format("\"{}\" is not a number from {} to {}", text, lowest, highest);
  };
  return {check, ""};
}

CLI::Validator hexadecimal() {
  const auto check = [](std::string& text) -> std::string {
    constexpr std::size_t kMostDigits = 16;
    const std::string_view digits =
        std::string_view(text).substr(text.starts_with("0x") || text.starts_with("0X") ? 2 : 0);
    if (!digits.empty() && digits.size() <= kMostDigits && is_hex(digits)) return {};
    return fmt::format("\"{}\" is not a hexadecimal address", text);
  };
  return {check, ""};
}

CLI::Validator byte_size() {
  const auto check = [](std::string& text) -> std::string {
    const std::string given = text;
    try {
      if (CLI::AsSizeValue(true)(text).empty()) return {};
    } catch (const CLI::ValidationError&) {  // a unit that CLI11 does not know
    }
    return fmt::format("\"{}\" is not a size; write bytes, or a number with a unit, such as 20GiB", given);
  };
  return {check, ""};
}

CLI::Validator duration() {
  const auto check = [](std::string& text) -> std::string {
    const auto span = parse_duration(text);
    if (!span) return span.error();
    text = std::to_string(span->count());
    return {};
  };
  return {check, ""};
}

CLI::Validator directory_or_url() { return {check_directory_or_url, ""}; }

CLI::Validator path_or_url() { return {check_path_or_url, ""}; }

CLI::Validator one_of(std::vector<std::pair<std::string, int>> choices) {
  const auto check = [choices = std::move(choices)](std::string& text) -> std::string {
    for (const auto& [name, number] : choices)
      if (text == name) {
        text = std::to_string(number);
        return {};
      }
    std::string names;
    for (std::size_t i = 0; i < choices.size(); ++i)
      names += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i].first;
    return fmt::format("\"{}\": use {}", text, names);
  };
  return {check, ""};
}

}  // namespace symcached::app
