#include <fmt/format.h>

#include <algorithm>
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

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/managed_modules.hpp"
#include "app/user_agent.hpp"
#include "base/utf8.hpp"
#include "fetch/file_fetcher.hpp"
#include "model/managed_module.hpp"
#include "object/managed_trace.hpp"
#include "service/cache_versions.hpp"

namespace symcached::app {
namespace {

using object::TokenFrame;

constexpr std::string_view kCommand = "symbolicate";

struct Options {
  std::string trace;
  std::vector<std::string> symbols{"."};
  std::string cache_dir;
  bool json = false;
};

/// Resolves one line after the other.
class TraceResolver {
 public:
  explicit TraceResolver(ManagedModules& modules) : modules_(modules) {}

  /// The place of a frame; nothing if it is not known.
  std::optional<ppdbcache::Place> place_of(const TokenFrame& frame) {
    if (frame.member == TokenFrame::Member::other) return std::nullopt;
    const ManagedModule* module = modules_.find(frame.module);
    if (module == nullptr) return std::nullopt;
    return module->cache().lookup(module->cache().row_in_trace(frame.row), frame.il_offset);
  }

  std::string text(std::string_view line) {
    if (const auto frame = object::parse_token_frame(line))
      if (const auto place = place_of(*frame)) return object::resolved_line(*frame, place->document, place->line);
    return std::string(line);
  }

  /// Null for a line that is no frame with a token.
  boost::json::value json(std::string_view line) {
    const auto frame = object::parse_token_frame(line);
    if (!frame) return nullptr;
    boost::json::object out{{"module", valid_utf8(frame->module)},
                            {"token", fmt::format("{:#010x}", model::method_token(frame->row))},
                            {"il_offset", frame->il_offset}};
    if (const auto place = place_of(*frame)) {
      if (!place->method.empty()) out["function"] = valid_utf8(place->method.text());
      out["file"] = valid_utf8(place->document);
      out["line"] = place->line;
      if (place->column != 0) out["column"] = place->column;
    }
    return out;
  }

 private:
  ManagedModules& modules_;
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
  const fetch::FetcherOptions servers{.symbols = options.symbols,
                                      .cache_dir = options.cache_dir,
                                      .objects = service::kObjects,
                                      .user_agent = std::string(kUserAgent)};
  ManagedModules modules(folders_of(options), servers);
  if (std::ranges::any_of(options.symbols, is_url))
    if (const auto ready = modules.open_fetcher(); !ready) {
      complain(kCommand, ready.error());
      return kCouldNot;
    }
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
