#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/pdb_fetcher.hpp"
#include "app/user_agent.hpp"
#include "service/cache_versions.hpp"
#include "symbolize/managed_modules.hpp"
#include "symbolize/trace.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kCommand = "symbolicate";

struct Options {
  std::string trace;
  std::vector<std::string> symbols{"."};
  std::string cache_dir;
  bool json = false;
};

bool is_url(std::string_view text) { return text.find("://") != text.npos; }

/// Folders hold modules by name, or are laid out as symbol servers are; servers are only asked by id.
std::vector<std::filesystem::path> folders_of(const Options& options) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& one : options.symbols)
    if (!is_url(one)) folders.emplace_back(one);
  return folders;
}

/// Prints the trace line by line with what is known.
void print_text(std::istream& in, symbolize::TraceResolver& resolver) {
  std::string line, out;
  while (std::getline(in, line)) {
    out.clear();
    resolver.append_text(line, out);
    if (!in.eof()) out += '\n';  // the last line may have no newline, and then has none here
    fmt::print("{}", out);
  }
}

void print_json(std::istream& in, symbolize::TraceResolver& resolver) {
  std::string line, out, frame;
  while (std::getline(in, line)) {
    frame.clear();
    if (resolver.append_json(line, frame)) (out += out.empty() ? "" : ",") += frame;
  }
  fmt::print("[{}]\n", out);
}

int resolve(std::istream& in, const Options& options) {
  auto fetch_pdb = fetch_pdb_from({.symbols = options.symbols,
                                   .cache_dir = options.cache_dir,
                                   .objects = service::kObjects,
                                   .user_agent = std::string(kUserAgent)},
                                  std::ranges::any_of(options.symbols, is_url));
  if (!fetch_pdb) {
    complain(kCommand, fetch_pdb.error());
    return kCouldNot;
  }
  symbolize::ManagedModules modules(folders_of(options), *std::move(fetch_pdb));
  symbolize::TraceResolver resolver([&](std::string_view name) { return modules.find(name); });
  if (options.json) print_json(in, resolver);
  else print_text(in, resolver);
  if (std::fflush(stdout) != 0) return kCouldNot;
  for (const std::string& why : modules.complaints()) complain(kCommand, why);
  if (!in.bad()) return kDone;
  complain(kCommand, fmt::format("cannot read {}: {}", options.trace, std::strerror(errno)));
  return kCouldNot;
}

int run(const Options& options) {
  if (options.trace == "-") return resolve(std::cin, options);
  std::ifstream in(options.trace, std::ios::binary);
  if (!in || std::filesystem::is_directory(options.trace)) {
    complain(kCommand, fmt::format("cannot open {}: {}", options.trace, std::strerror(in ? EISDIR : errno)));
    return kCouldNot;
  }
  return resolve(in, options);
}

constexpr const char* kFooter = R"(Frames that read "in app.dll:token 0x6000004+0x1a" (.NET prints them without a
PDB when Switch.System.Diagnostics.StackTrace.ShowILOffsets is on) get file and
line, exactly as .NET prints them with the PDB. All other lines are copied;
modules that were not found are named on stderr.

Examples:
  symcached symbolicate trace.txt --symbols bin
  journalctl -u app | symcached symbolicate - --symbols bin \
      --symbols https://symbols.nuget.org/download/symbols

Exit status:
  0  the trace was copied, with whatever could be resolved
  1  the trace cannot be read, the output or the cache cannot be written
  2  wrong usage

Environment:
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies for symbol servers
  TMPDIR                directory for downloads without --cache-dir [/tmp])";

}  // namespace

void add_symbolicate(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("symbolicate", "Symbolize a .NET stack trace: add files and lines");
  command->add_option("FILE", options->trace, "a .NET stack trace in text; - reads standard input")->required();
  command
      ->add_option(
          "--symbols", options->symbols,
          "directory with the assemblies or their Portable PDBs, or the URL of a symbol server, which is asked "
          "for the PDBs of assemblies in the directories; repeatable")
      ->type_name("DIR|URL")
      ->capture_default_str()
      ->check(directory_or_url())
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--cache-dir", options->cache_dir, "keep downloads there, as serve does [default: not kept]")
      ->type_name("DIR");
  command->add_flag("--json", options->json, "print a JSON array of the frames that have a token");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
