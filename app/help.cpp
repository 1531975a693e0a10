#include "app/help.hpp"

#include <algorithm>
#include <vector>

namespace symcached::app {
namespace {

constexpr std::size_t kIndent = 2, kColumn = 26;
constexpr std::size_t kLongestDefault = 40;  ///< that is kept on one line

/// "  NAME      what it means", the name on a line of its own if it is long.
std::string row(const std::string& name, const std::string& meaning) {
  std::string out = std::string(kIndent, ' ') + name;
  if (out.size() + 2 > kColumn) out += '\n' + std::string(kColumn, ' ');
  else out.resize(kColumn, ' ');
  return out + wrapped(meaning, kColumn, kColumn) + '\n';
}

/// "-s, --basenames", "--threads N", "-f, --functions[=STYLE]".
std::string label_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string label;
  const auto add = [&](std::string_view dashes, const std::vector<std::string>& names) {
    for (const std::string& name : names) (label += label.empty() ? "" : ", ").append(dashes).append(name);
  };
  add("-", option.get_snames());
  add("--", option.get_lnames());
  for (const std::string& name : option.get_fnames())  // those that say no
    if (label.find("--" + name) == label.npos) add("--", {name});
  if (!option.get_option_text().empty()) return label + option.get_option_text();
  if (option.get_items_expected_max() > 0 && !option.get_type_name().empty()) label += ' ' + option.get_type_name();
  return label;
}

std::string meaning_of(const CLI::Option& option) {
  std::string preset = option.get_default_str();
  if (preset.starts_with('[') && preset.ends_with(']')) preset = preset.substr(1, preset.size() - 2);  // a list
  return option.get_description() + (preset.empty() ? "" : " [default: " + preset + "]");
}

std::string section(const std::string& title, const std::vector<const CLI::Option*>& options) {
  if (options.empty()) return {};
  std::string out = '\n' + title + ":\n";
  for (const CLI::Option* option : options) out += row(label_of(*option), meaning_of(*option));
  return out;
}

std::string usage_of(const CLI::App& app, const std::string& name) {
  std::string out = name + " [OPTION...]";
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    const std::string value =
        option->get_name(true) + (option->get_expected_max() >= CLI::detail::expected_max_vector_size ? "..." : "");
    out += option->get_required() ? ' ' + value : " [" + value + ']';
  }
  if (!app.get_subcommands({}).empty()) out += " COMMAND [ARGUMENT...]";
  return out;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t column, std::size_t indent, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const bool is_default = text.starts_with("[default: ") && text.find(']') < kLongestDefault;
    const std::string_view word = text.substr(0, is_default ? text.find(']') + 1 : text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!out.empty() && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  constexpr std::string_view kUsage = "Usage: ";
  std::string out = wrapped(app->get_description(), 0, 0) + "\n\n";
  out.append(kUsage) += wrapped(usage_of(*app, name), kUsage.size(), kUsage.size()) + '\n';
  out += section("Arguments", app->get_options([](const CLI::Option* o) { return o->get_positional(); }));
  if (const auto commands = app->get_subcommands({}); !commands.empty()) {
    out += "\nCommands:\n";
    for (const CLI::App* command : commands) out += row(command->get_name(), command->get_description());
  }
  for (const std::string& group : app->get_groups())
    out += section(group, app->get_options([&](const CLI::Option* o) {
      return o->nonpositional() && o->get_group() == group && !group.empty();
    }));
  if (!app->get_footer().empty()) out += '\n' + app->get_footer() + '\n';
  return out;
}

}  // namespace symcached::app
