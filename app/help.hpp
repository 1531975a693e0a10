#pragma once
/// How `--help` looks: at most 80 columns, names to the left, what they mean to the right.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace symcached::app {

inline constexpr std::size_t kHelpWidth = 80;  ///< columns

/// Lines of at most `width` columns, broken at blanks; all but the first begin with `indent` blanks, which count.
/// @param column  where the first line begins
std::string wrapped(std::string_view text, std::size_t column, std::size_t indent, std::size_t width = kHelpWidth);

/// Description, usage, arguments, options with their defaults, subcommands, then the footer as it is.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace symcached::app
