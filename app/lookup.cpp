#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/answerer.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/debug_folders.hpp"
#include "app/module_answerer.hpp"
#include "app/user_agent.hpp"
#include "app/user_cache.hpp"
#include "base/threads.hpp"
#include "fetch/text_fetcher.hpp"
#include "symbolize/open_module.hpp"

namespace symcached::app {
namespace {

enum class FetchSources : std::uint8_t { never, public_hosts, anywhere };

constexpr std::string_view kCommand = "lookup";
constexpr std::uint32_t kMaxSourceLines = 1'000'000;
constexpr unsigned kMaxThreads = 256;

struct Options {
  std::string file;
  std::vector<std::string> questions;
  std::string image_base;
  std::vector<std::string> debug_folders{symbolize::kDebugFolder}, symbol_maps;
  bool json = false, no_inlines = false, svma = false, relative_address = false;
  UserCacheChoice cache;
  std::uint32_t source_lines = 0;
  unsigned threads = hardware_threads();
  FetchSources fetch_sources = FetchSources::never;
  bool demangle = true, no_parameters = false, basenames = false;
  symbolize::FunctionNames names = symbolize::FunctionNames::readable;
};

symbolize::AnswerOptions answer_options_of(const Options& options) {
  return {.names = options.names,
          .inlines = !options.no_inlines,
          .demangle = options.demangle,
          .detail = options.no_parameters ? demangle::Detail::no_parameters : demangle::Detail::full};
}

void warn(const std::string& what) { complain(kCommand, "warning: " + what); }

/// How addresses count.
struct Origin {
  std::uint64_t image_base = 0;  ///< to take off each address
  bool takes_rvas_too = false;   ///< those below it are RVAs
};

/// PE and PDB files: RVAs are common there.
bool is_of_windows(const symbolize::Module& module) {
  const auto* const cache = module.is_growing() ? nullptr : module.symcache();
  return cache != nullptr && (cache->producer_kind() == "pe" || cache->producer_kind() == "pdb");
}

/// By default addresses are as the file states them, so that those are right which others tell of it.
std::expected<Origin, std::string> origin_of(const Options& options, const symbolize::OpenedModule& opened) {
  if (opened.module().is_managed() && (options.svma || options.relative_address))
    return std::unexpected(fmt::format("{} does not apply to .NET files; give METHOD:IL, such as 4:26",
                                       options.svma ? "--svma" : "--relative-address"));
  if (options.relative_address) return Origin();
  if (const auto base = symbolize::parse_address(options.image_base)) return Origin{*base};
  if (const auto base = opened.stated_image_base())
    return Origin{*base, !options.svma && is_of_windows(opened.module())};
  if (!options.svma) return Origin();
  return std::unexpected(fmt::format(
      "--svma: {} does not store its image base; add --image-base, or give RVAs without --svma", options.file));
}

/// What may be fetched; empty: nothing.
symbolize::FetchText fetch_text_of(const Options& options) {
  if (options.fetch_sources == FetchSources::never) return {};
  const bool anywhere = options.fetch_sources == FetchSources::anywhere;
  auto fetcher =
      std::make_shared<fetch::TextFetcher>(fetch::TextLimits{.private_addresses = anywhere}, std::string(kUserAgent));
  return [fetcher](const std::string& url) -> std::optional<std::string> {
    auto text = fetcher->get(url);
    if (text) return std::move(*text);
    complain(kCommand, fmt::format("{}: {}", url, text.error().why));
    return std::nullopt;
  };
}

std::expected<std::unique_ptr<Answerer>, std::string> answerer_of(const Options& options,
                                                                  const symbolize::OpenedModule& opened) {
  if (options.source_lines != 0 && !opened.module().is_managed())
    warn("--print-source-context-lines works for .NET files only; ignored");
  const auto origin = origin_of(options, opened);
  if (!origin) return std::unexpected(origin.error());
  std::unique_ptr<symbolize::ManagedSources> sources;
  if (opened.pdb() != nullptr) {
    auto found = symbolize::ManagedSources::open(*opened.pdb(), fetch_text_of(options));
    if (!found) return std::unexpected(fmt::format("{}: {}", options.file, to_string(found.error())));
    sources = std::make_unique<symbolize::ManagedSources>(std::move(*found));
  }
  const ModuleAnswerer::Options how{
      .answer = answer_options_of(options),
      .style = {.functions = options.names != symbolize::FunctionNames::none, .basenames = options.basenames},
      .json = options.json,
      .image_base = origin->image_base,
      .takes_rvas_too = origin->takes_rvas_too,
      .source_lines = options.source_lines};
  return std::make_unique<ModuleAnswerer>(opened.module(), options.file, how, std::move(sources));
}

int run(const Options& options) {
  const auto cache = open_user_cache(options.cache, {options.debug_folders, options.symbol_maps});
  const auto opened = symbolize::OpenedModule::open(options.file, {.far = {options.debug_folders, options.symbol_maps},
                                                                   .threads = options.threads,
                                                                   .keep_sources = options.source_lines != 0,
                                                                   .growing = {{.questions = options.questions.size()}},
                                                                   .cache = cache.get()});
  if (!opened) {
    complain(kCommand, opened.error());
    return kCouldNot;
  }
  for (const std::string& warning : opened->warnings()) warn(warning);
  const auto answerer = answerer_of(options, *opened);
  if (!answerer) {
    complain(kCommand, answerer.error());
    return kWrongUsage;
  }
  if (options.questions.empty() && ::isatty(STDIN_FILENO) != 0)
    fmt::print(stderr, "Reading addresses from standard input, one per line.\n");
  const bool good = options.questions.empty() ? answer_stdin(options.json, **answerer, options.threads)
                                              : answer_arguments(options.questions, options.json, **answerer);
  if (const std::string trouble = opened->trouble(); !trouble.empty()) {
    complain(kCommand, fmt::format("{}: {}", options.file, trouble));
    return kCouldNot;
  }
  return good ? kDone : kWrongUsage;
}

constexpr const char* kFooter = R"(Each address or line of input gets one answer: function and file:line:column of
each frame, innermost first, then an empty line; ?? where nothing is known. What
is not an address is answered as unknown (in JSON with "Error") and reported on
stderr.

Examples:
  symcached lookup app 0x401234              an address as the file states it
  symcached lookup app.pdb 0x1234 0x5678     RVAs: bytes from the image's start
  symcached lookup driver.ko .init.text+0x4  object files: bytes from a section
  symcached lookup 'libz.a(crc32.o)' 0x10    a member of an archive
  symcached lookup --json app.pdb.symcache <addresses.txt
  symcached lookup app.dll 0x06000004:0x1a   .NET: method token and IL offset

Exit status:
  0  success, also when an address has no symbol
  1  the file cannot be read, or the output cannot be written
  2  wrong usage, or something given was not an address

Environment:
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies for --fetch-sources=anywhere
  XDG_CACHE_HOME, HOME  where what was converted is kept: in symcached there
  SYMCACHED_NO_CACHE    not empty: the same as --no-cache
  SYMCACHED_CACHE_SIZE  limit of that cache, unless --cache-size is given)";

void add_name_options(CLI::App& command, Options& options) {
  command
      .add_flag("-f{readable},--functions{readable}", options.names,
                "how to print functions: readable; short, without parameters; linkage, the linkage name demangled; or "
                "none")
      ->option_text("[=STYLE]")
      ->transform(one_of({{"readable", static_cast<int>(symbolize::FunctionNames::readable)},
                          {"short", static_cast<int>(symbolize::FunctionNames::brief)},
                          {"linkage", static_cast<int>(symbolize::FunctionNames::linkage)},
                          {"none", static_cast<int>(symbolize::FunctionNames::none)}}));
  command.add_flag("-C,--demangle,!--no-demangle", options.demangle,
                   "demangle function names (the default), or do not");
  command.add_flag("--no-parameters", options.no_parameters, "omit the parameters of demangled functions");
  command.add_flag("-s,--basenames", options.basenames, "print file names without directories");
}

void add_address_options(CLI::App& command, Options& options) {
  CLI::Option* const relative = command.add_flag("--relative-address", options.relative_address,
                                                 "addresses are RVAs: they count from the image's start");
  CLI::Option* const svma =
      command
          .add_flag("--svma", options.svma,
                    "addresses are virtual addresses, never RVAs; a PDB or symcache needs --image-base for it")
          ->excludes(relative);
  command.add_option("--image-base", options.image_base, "virtual address at which the image starts, hexadecimal")
      ->type_name("ADDRESS")
      ->check(hexadecimal())
      ->needs(svma);
}

void add_source_options(CLI::App& command, Options& options) {
  CLI::Option* const lines =
      command
          .add_option("--print-source-context-lines", options.source_lines,
                      ".NET only: print N lines of source around each line, if the source is available")
          ->type_name("N")
          ->check(number_from(0, kMaxSourceLines));
  command
      .add_flag("--fetch-sources{public}", options.fetch_sources,
                ".NET only: download sources through Source Link, from public hosts; with =anywhere from private "
                "networks too")
      ->option_text("[=WHERE]")
      ->transform(one_of({{"public", static_cast<int>(FetchSources::public_hosts)},
                          {"anywhere", static_cast<int>(FetchSources::anywhere)}}))
      ->needs(lines);
}

}  // namespace

void add_lookup(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("lookup", "Symbolize addresses: print function, file and line, inlined calls included");
  command->add_option("FILE", options->file, "debug file, program, object file, .NET assembly, symcache or ppdbcache")
      ->required();
  command->add_option(
      "ADDRESS", options->questions,
      "hexadecimal: a virtual address; an RVA for PDBs, symcaches, Breakpad files, and for PE files below their image "
      "base. For object files also SECTION+OFFSET; for .NET, METHOD:IL, such as 4:26 or 0x06000004:0x1a. Default: read "
      "standard input, one per line");
  command->add_flag("--json", options->json,
                    "print JSON: one array for arguments, one object per line for standard input");
  command->add_flag("--no-inlines", options->no_inlines,
                    "omit inlined frames; print the function itself, at the line of the call");
  add_name_options(*command, *options);
  add_address_options(*command, *options);
  add_debug_folders(*command, options->debug_folders);
  add_symbol_maps(*command, options->symbol_maps);
  add_source_options(*command, *options);
  add_user_cache_options(*command, options->cache);
  command
      ->add_option("--threads", options->threads,
                   "worker threads, to convert and to answer standard input [default: all cores]")
      ->type_name("N")
      ->check(number_from(1, kMaxThreads));
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
