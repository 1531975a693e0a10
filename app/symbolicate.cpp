#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/debug_folders.hpp"
#include "app/explanation_text.hpp"
#include "app/symbol_servers.hpp"
#include "app/user_agent.hpp"
#include "app/user_cache.hpp"
#include "base/descriptor.hpp"
#include "service/cache_versions.hpp"
#include "traces/local/local_frames.hpp"
#include "traces/remote/remote_frames.hpp"
#include "traces/remote/stack_server.hpp"
#include "traces/rewriter.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kCommand = "symbolicate";
constexpr const char* kTokenVariable = "SYMCACHED_TOKEN";
constexpr int kPause = 1000;  ///< milliseconds without input after which what is there is printed

struct Options {
  std::string trace;
  std::vector<std::string> symbols{"."};
  std::vector<std::string> debug_folders{symbolize::kDebugFolder}, symbol_maps;
  std::string cache_dir;
  UserCacheChoice cache;
  std::string server;
  std::vector<std::string> headers;
  bool json = false, explain = false;
  traces::Output output = traces::Output::text;
};

bool is_url(std::string_view text) { return text.find("://") != text.npos; }

/// Files and directories; servers are asked by id alone.
std::vector<std::filesystem::path> places_of(const Options& options) {
  std::vector<std::filesystem::path> places;
  for (const std::string& one : options.symbols)
    if (!is_url(one)) places.emplace_back(one);
  return places;
}

/// Where files are found by id: URLs, and directories, which may be laid out as symbol servers are.
std::vector<std::string> servers_of(const Options& options) {
  std::vector<std::string> servers;
  for (const std::string& one : options.symbols)
    if (is_url(one) || std::filesystem::is_directory(one)) servers.push_back(one);
  return servers;
}

/// @return errno's value, 0 at the end of the text
int read_all(int descriptor, traces::Rewriter& rewriter) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const auto piece = std::make_unique<char[]>(kPiece);
  while (true) {
    pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPause) == 0) {
      rewriter.flush();
      std::fflush(stdout);
      ::poll(&waiting, 1, -1);
    }
    const ssize_t got = ::read(descriptor, piece.get(), kPiece);
    if (got == 0) return 0;
    if (got > 0) rewriter.feed({piece.get(), static_cast<std::size_t>(got)});
    else if (errno != EINTR) return errno;
  }
}

/// "gdb (12 frames): 9 ok, 3 no_debug_file"
void report(const traces::Tally& tally) {
  if (tally.frames.empty()) return complain(kCommand, "no frame of a known dialect in the text");
  std::vector<std::string> dialects, answers;
  for (const auto& [name, count] : tally.frames) dialects.push_back(fmt::format("{} ({} frames)", name, count));
  for (const auto& [status, count] : tally.answers) answers.push_back(fmt::format("{} {}", count, name_of(status)));
  complain(kCommand,
           fmt::format("{}: {}", fmt::join(dialects, ", "),
                       answers.empty() ? "all resolved already" : fmt::format("{}", fmt::join(answers, ", "))));
}

/// A text may name any number of modules.
void complain_of(const std::vector<std::string>& modules) {
  constexpr std::size_t kMost = 20;
  for (const std::string& why : std::span(modules).first(std::min(modules.size(), kMost))) complain(kCommand, why);
  if (modules.size() > kMost) complain(kCommand, fmt::format("{} more modules were not found", modules.size() - kMost));
}

/// As many as of modules that were not found.
void print(std::span<const stacks::ModuleExplanation> explanations) {
  constexpr std::size_t kMost = 100;
  for (const stacks::ModuleExplanation& one : explanations.first(std::min(explanations.size(), kMost)))
    for (const std::string& line : lines_of(one)) complain(kCommand, line);
  if (explanations.size() > kMost)
    complain(kCommand, fmt::format("{} more explanations; --json has them all", explanations.size() - kMost));
}

/// Copies the text. @param frames  has explanations()
template <class Frames>
int rewrite(int descriptor, const Options& options, Frames& frames) {
  const traces::Output output = options.json ? traces::Output::json : options.output;
  traces::Rewriter rewriter(frames, output,
                            [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  const int error = read_all(descriptor, rewriter);
  const bool in_json = options.explain && output == traces::Output::json;
  rewriter.finish(in_json ? [&] { return json_of(frames.explanations()); } : std::function<std::string()>());
  if (std::fflush(stdout) != 0) return kCouldNot;
  if (options.explain && !in_json) print(frames.explanations());
  report(rewriter.tally());
  if (error == 0) return kDone;
  complain(kCommand, fmt::format("cannot read {}: {}", options.trace, std::strerror(error)));
  return kCouldNot;
}

int resolve_here(int descriptor, const Options& options) {
  auto servers = symbol_servers({.symbols = servers_of(options),
                                 .cache_dir = options.cache_dir,
                                 .objects = service::kObjects,
                                 .user_agent = std::string(kUserAgent)},
                                std::ranges::any_of(options.symbols, is_url));
  if (!servers) {
    complain(kCommand, servers.error());
    return kCouldNot;
  }
  const auto cache = open_user_cache(options.cache, {options.debug_folders, options.symbol_maps});
  traces::LocalFrames frames({.places = places_of(options),
                              .debug_folders = options.debug_folders,
                              .symbol_maps = options.symbol_maps,
                              .fetch = std::move(servers->file),
                              .fetch_pdb = std::move(servers->pdb),
                              .cache = cache.get()});
  const int status = rewrite(descriptor, options, frames);
  if (!options.explain) complain_of(frames.complaints());
  return status;
}

std::expected<sources::HttpPlace, std::string> server_of(const Options& options) {
  sources::HttpPlace place{.url = options.server, .negotiate_if_asked = true};
  for (const std::string& text : options.headers) {
    auto header = parse_header(text);
    if (!header) return std::unexpected("--header: write \"Name: value\"");
    place.headers.push_back(std::move(*header));
  }
  const char* const token = std::getenv(kTokenVariable);
  if (token != nullptr && options.headers.empty()) place.bearer_token = token;
  return place;
}

int resolve_at_server(int descriptor, const Options& options) {
  auto place = server_of(options);
  if (!place) {
    complain(kCommand, place.error());
    return kWrongUsage;
  }
  auto server = traces::StackServer::open({.place = std::move(*place), .user_agent = std::string(kUserAgent)});
  if (!server) {
    complain(kCommand, server.error());
    return kWrongUsage;
  }
  traces::RemoteFrames frames(
      [&](std::string body, std::size_t count) { return (*server)->ask(std::move(body), count); }, options.explain);
  const int status = rewrite(descriptor, options, frames);
  if (frames.error().empty()) return status;
  complain(kCommand, frames.error());
  return kCouldNot;
}

int resolve(int descriptor, const Options& options) {
  return options.server.empty() ? resolve_here(descriptor, options) : resolve_at_server(descriptor, options);
}

int run(const Options& options) {
  if (options.trace == "-") return resolve(STDIN_FILENO, options);
  const Descriptor file(::open(options.trace.c_str(), O_RDONLY | O_CLOEXEC));
  if (file) return resolve(file.get(), options);
  complain(kCommand, fmt::format("cannot open {}: {}", options.trace, std::strerror(errno)));
  return kCouldNot;
}

constexpr const char* kFooter = R"(Prints the text again, with functions, files, lines and inlined calls in it. It
knows the stacks of gdb, lldb, glibc's backtrace_symbols(), coredumpctl,
eu-stack, sanitizers, LLVM, glog, folly, Boost, libunwind, valgrind, Rust, Go,
Android, Breakpad's minidump_stackwalk, macOS (crash, sample, spindump), Windows
(module+offset, WinDbg, Visual Studio, xperf), the Linux kernel, perf script,
bpftrace, folded stacks, LLVM's markup and .NET, also behind what loggers write.
A memory map in the text is used. What is no frame stays as it is. stderr says
which dialects were found, and which modules were not.

A file whose id is not the one that the text states is not used. The directory /
is not searched: in it, only paths that the text states are looked up.

With --server no file is looked for: addresses go to a server with the API of
Symbolicator ("symcached serve" is one), 5,000 at a time. Only modules whose ids
the text states can be asked for. Where the text has offsets in files, they are
taken for addresses, as most linkers lay programs out: "unverified".

Examples:
  symcached symbolicate trace.txt --symbols build
  journalctl -u app | symcached symbolicate - --symbols / --json
  perf script | symcached symbolicate - --symbols / --symbols vmlinux
  symcached symbolicate trace.txt --symbols bin \
      --symbols https://debuginfod.debian.net
  symcached symbolicate crash.txt --server https://symbols.example.com --explain

Exit status:
  0  the text was copied, with whatever could be resolved
  1  the text cannot be read, the output or the cache cannot be written, the
     server does not answer
  2  wrong usage

Environment:
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies for symbol servers, and for --server
  SYMCACHED_TOKEN       bearer token for --server, unless --header is given
  TMPDIR                directory for downloads without --cache-dir [/tmp]
  XDG_CACHE_HOME, HOME  where what was converted is kept: in symcached there
  SYMCACHED_NO_CACHE    not empty: the same as --no-cache
  SYMCACHED_CACHE_SIZE  limit of that cache, unless --cache-size is given)";

void add_output_options(CLI::App& command, Options& options) {
  CLI::Option* const format =
      command.add_option("--format", options.output, "text; json, an array with an object for each frame; or table")
          ->type_name("FORMAT")
          ->default_str("text")
          ->transform(one_of({{"text", static_cast<int>(traces::Output::text)},
                              {"json", static_cast<int>(traces::Output::json)},
                              {"table", static_cast<int>(traces::Output::table)}}));
  command.add_flag("--json", options.json, "the same as --format json")->excludes(format);
}

}  // namespace

void add_symbolicate(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("symbolicate", "Symbolize stack traces in a text: add functions, files, lines");
  command->add_option("FILE", options->trace, "a text with stack traces; - reads standard input")->required();
  CLI::Option* const symbols = command->add_option(
      "--symbols", options->symbols,
      "program or debug file, directory with such files, or URL of a symbol server, which is asked for "
      "what the text states ids of; repeatable");
  symbols->type_name("FILE|DIR|URL")
      ->capture_default_str()
      ->check(path_or_url())
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_debug_folders(*command, options->debug_folders);
  add_symbol_maps(*command, options->symbol_maps);
  command->add_option("--cache-dir", options->cache_dir, "keep downloads there, as serve does [default: not kept]")
      ->type_name("DIR");
  add_user_cache_options(*command, options->cache);
  CLI::Option* const server =
      command->add_option("--server", options->server, "ask this server with Symbolicator's API, and look for no files")
          ->type_name("URL")
          ->excludes(symbols);
  command
      ->add_option("--header", options->headers,
                   "sent to the server with each request, such as \"Authorization: Bearer TOKEN\"; repeatable")
      ->type_name("LINE")
      ->needs(server)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--explain", options->explain,
                    "say why frames have no names, and what would help: on stderr, or last in the JSON");
  add_output_options(*command, *options);
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
