#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/pdb_fetcher.hpp"
#include "app/user_agent.hpp"
#include "service/cache_versions.hpp"
#include "symbolize/managed_modules.hpp"
#include "symbolize/trace.hpp"

namespace symcached::app {
namespace {

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
  symbolize::ManagedModules modules(folders_of(options), fetch_pdb_from({.symbols = options.symbols,
                                                                         .cache_dir = options.cache_dir,
                                                                         .objects = service::kObjects,
                                                                         .user_agent = std::string(kUserAgent)}));
  symbolize::TraceResolver resolver([&](std::string_view name) { return modules.find(name); });
  if (options.json) print_json(in, resolver);
  else print_text(in, resolver);
  std::fflush(stdout);
  for (const std::string& why : modules.complaints()) fmt::print(stderr, "symcached symbolicate: {}\n", why);
  if (std::ferror(stdout) == 0 && !in.bad()) return kDone;
  fmt::print(stderr, "symcached symbolicate: could not {}: {}\n", in.bad() ? "read the trace" : "write the answers",
             std::strerror(errno));
  return kCouldNot;
}

int run(const Options& options) {
  if (options.trace == "-") return resolve(std::cin, options);
  std::ifstream in(options.trace, std::ios::binary);
  if (!in || std::filesystem::is_directory(options.trace)) {
    fmt::print(stderr, "symcached symbolicate: {}: could not open it: {}\n", options.trace,
               in ? "it is a folder" : std::strerror(errno));
    return kCouldNot;
  }
  return resolve(in, options);
}

}  // namespace

void add_symbolicate(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("symbolicate", "the same stack trace, with files and lines");
  command->add_option("trace", options->trace, "a .NET stack trace in text; -: stdin")->required();
  command
      ->add_option("--symbols", options->symbols,
                   "folder with the modules' Portable PDBs or assemblies, or a symbol server's URL, which is asked for "
                   "the PDBs of assemblies found in the folders; may be given several times")
      ->capture_default_str()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--cache-dir", options->cache_dir,
                      "keep what was fetched there, as serve does; none: until the end of the run");
  command->add_flag("--json", options->json, "one JSON array of the frames that have a token");
  command->footer(
      "Frames that read \"in app.dll:token 0x6000004+0x1a\" (.NET prints them without a PDB when ShowILOffsets is on)\n"
      "get the file and the line, as .NET itself would print them. All other lines stay as they are; modules that "
      "were\n"
      "not found are named on stderr.");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
