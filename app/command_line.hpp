#pragma once
/// What is wrong with a command line, in our words instead of CLI11's; checks of values that say what to write.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace symcached::app {

/// One line on stderr: "symcached COMMAND: what". Control characters in it are spelled out.
void complain(std::string_view command, std::string_view what);

/// Flushes stdout. Whatever could not be written there is complained about.
/// @return `status`, or kCouldNot
int finish_output(std::string_view command, int status);

/// Name of the subcommand that was chosen, such as "cache ls"; empty if none was.
std::string command_of(const CLI::App& app);

/// "unknown option --port", "no FILE given"; what parsing `app` failed with.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

/// -f takes no value without `=`: -fshort would be -f -s -h -o -r -t, which is help.
/// @return what is wrong; empty if nothing is
std::string check_clusters(const std::vector<std::string>& arguments);

/// "Name: value". Nothing if it has no name.
std::optional<std::pair<std::string, std::string>> parse_header(std::string_view line);

/// A whole number in decimal.
CLI::Validator number_from(std::uint64_t lowest, std::uint64_t highest);

/// Hexadecimal of at most 64 bits, with or without 0x.
CLI::Validator hexadecimal();

/// Bytes, as "20GiB"; becomes the number.
CLI::Validator byte_size();

/// A span of time, as "7d" or "1h30m"; becomes milliseconds.
CLI::Validator duration();

/// A directory, or an http(s) URL.
CLI::Validator directory_or_url();

/// The same, or a file.
CLI::Validator path_or_url();

/// The first of `choices` is number 0; becomes the number, for an option whose value is an enumeration.
CLI::Validator one_of(std::vector<std::pair<std::string, int>> choices);

}  // namespace symcached::app
