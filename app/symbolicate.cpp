#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
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
#include "app/user_agent.hpp"
#include "fetch/file_fetcher.hpp"
#include "model/managed_module.hpp"
#include "service/cache_versions.hpp"
#include "symbolize/managed_modules.hpp"
#include "symbolize/token_trace.hpp"

namespace symcached::app {
namespace {

using symbolize::TokenFrame;

struct Options {
  std::string trace;
  std::vector<std::string> symbols{"."};
  std::string cache_dir;
  bool json = false;
};

/// Resolves one line after the other.
class TraceResolver {
 public:
  explicit TraceResolver(symbolize::ManagedModules& modules) : modules_(modules) {}

  /// The place of a frame; nothing if it is not known.
  std::optional<ppdbcache::Place> place_of(const TokenFrame& frame) {
    if (frame.member == TokenFrame::Member::other) return std::nullopt;
    const symbolize::ManagedModule* module = modules_.find(frame.module);
    if (module == nullptr) return std::nullopt;
    return module->cache().lookup(module->cache().row_in_trace(frame.row), frame.il_offset);
  }

  std::string text(std::string_view line) {
    if (const auto frame = symbolize::parse_token_frame(line))
      if (const auto place = place_of(*frame)) return symbolize::resolved_line(*frame, place->document, place->line);
    return std::string(line);
  }

  /// Null for a line that is no frame with a token.
  boost::json::value json(std::string_view line) {
    const auto frame = symbolize::parse_token_frame(line);
    if (!frame) return nullptr;
    boost::json::object out{{"module", frame->module},
                            {"token", fmt::format("{:#010x}", model::method_token(frame->row))},
                            {"il_offset", frame->il_offset}};
    if (const auto place = place_of(*frame)) {
      if (!place->method.empty()) out["function"] = place->method.text();
      out["file"] = place->document;
      out["line"] = place->line;
      if (place->column != 0) out["column"] = place->column;
    }
    return out;
  }

 private:
  symbolize::ManagedModules& modules_;
};

bool is_url(std::string_view text) { return text.find("://") != text.npos; }

/// Folders hold modules by name, or are laid out as symbol servers are; servers are only asked by id.
std::vector<std::filesystem::path> folders_of(const Options& options) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& one : options.symbols)
    if (!is_url(one)) folders.emplace_back(one);
  return folders;
}

int resolve(std::istream& in, const Options& options) {
  symbolize::ManagedModules modules(folders_of(options), {.symbols = options.symbols,
                                                          .cache_dir = options.cache_dir,
                                                          .objects = service::kObjects,
                                                          .user_agent = std::string(kUserAgent)});
  TraceResolver resolver(modules);
  boost::json::array frames;
  std::string line;
  while (std::getline(in, line)) {
    if (options.json) {
      if (auto frame = resolver.json(line); !frame.is_null()) frames.push_back(std::move(frame));
      continue;
    }
    const bool ended = !in.eof();  // the last line may have no newline, and then has none here
    fmt::print("{}{}", resolver.text(line), ended ? "\n" : "");
  }
  if (options.json) fmt::print("{}\n", boost::json::serialize(frames));
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
