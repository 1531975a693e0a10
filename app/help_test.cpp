#include "app/help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/commands.hpp"

namespace symcached::app {
namespace {

using testing::HasSubstr;

TEST(Wrapped, BreaksAtBlanks) {
  struct Row {
    std::string_view why, text;
    std::size_t column, indent;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing", "", 0, 2, ""},
      {"fits exactly", "ab cd ef", 2, 2, "ab cd ef"},
      {"one more", "ab cd efg", 2, 2, "ab cd\n  efg"},
      {"too long for any line", "abcdefghijklm no", 0, 0, "abcdefghijklm\nno"},
      {"a default stays whole", "ab [default: x]", 0, 1, "ab\n [default: x]"},
  };
  for (const Row& r : rows) EXPECT_EQ(wrapped(r.text, r.column, r.indent, 10), r.want) << r.why;
}

/// "symcached cache ls --help", and so on for every command.
void collect_help(const CLI::App& command, const std::string& above, std::vector<std::string>& all) {
  all.push_back(above.empty() ? command.help() : command.help(above));
  for (const CLI::App* next : command.get_subcommands({}))
    collect_help(*next, above.empty() ? "symcached" : above + ' ' + command.get_name(), all);
}

TEST(Help, OfEachCommandFitsAndHasAllParts) {
  CLI::App app;
  int status = kDone;
  add_commands(app, status);
  std::vector<std::string> all;
  collect_help(app, "", all);
  ASSERT_EQ(all.size(), 17u);
  for (const std::string& help : all) {
    for (const char* part : {"Usage: symcached", "\nOptions:\n", "\nExamples:\n", "\nExit status:\n", "\nEnvironment:"})
      EXPECT_THAT(help, HasSubstr(part));
    const std::string examples = help.substr(help.find("\nExamples:\n"));
    const std::size_t first = examples.find("symcached ");
    EXPECT_NE(examples.substr(0, examples.find("\nExit status:")).find("symcached ", first + 1), help.npos)
        << "a second: " << help;
    for (std::size_t at = 0, end; at < help.size(); at = end + 1) {
      end = help.find('\n', at);
      EXPECT_LE(end - at, kHelpWidth) << help.substr(at, end - at);
    }
    EXPECT_EQ(help.find('\0'), help.npos);
  }
}

TEST(Help, OptionsHaveTheirValuesAndDefaults) {
  CLI::App app;
  int status = kDone;
  add_commands(app, status);
  struct Row {
    const char *command, *want;
  };
  const Row rows[] = {
      {"lookup", "\n  -f, --functions[=STYLE]\n"},
      {"lookup", "\n  -C, --demangle, --no-demangle\n"},
      {"lookup", "Usage: symcached lookup [OPTION...] FILE [ADDRESS...]\n"},
      {"lookup", "[default: /usr/lib/debug]\n"},
      {"convert", "Usage: symcached convert [OPTION...] FILE...\n"},
      {"convert", "\n  --threads N             worker threads"},
      {"cleanup", "caches.max_size of the file, or 20GiB]"},
      {"serve", "[default: 127.0.0.1:3021]\n"},
      {"serve", "\n  -c, --config FILE       configuration file"},
      {"config", "Usage: symcached config [OPTION...] ACTION [FILE]\n"},
  };
  for (const Row& r : rows) EXPECT_THAT(app.get_subcommand(r.command)->help("symcached"), HasSubstr(r.want));
}

}  // namespace
}  // namespace symcached::app
