#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/answerer.hpp"
#include "app/commands.hpp"
#include "app/debug_folders.hpp"
#include "app/module_answerer.hpp"
#include "app/user_agent.hpp"
#include "fetch/text_fetcher.hpp"
#include "symbolize/open_module.hpp"

namespace symcached::app {
namespace {

enum class FetchSources : std::uint8_t { never, public_hosts, anywhere };

struct Options {
  std::string file;
  std::vector<std::string> questions;
  std::string image_base;
  std::vector<std::string> debug_folders{symbolize::kDebugFolder};
  bool json = false, no_inlines = false, svma = false;
  std::uint32_t source_lines = 0;
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

/// What to take off each address: 0, or the image base when addresses are as the file states them.
std::expected<std::uint64_t, std::string> image_base_of(const Options& options, const symbolize::OpenedModule& opened) {
  const symcache::Symcache* const cache = opened.module().symcache();
  if (!options.svma || cache == nullptr) return 0;
  if (const auto base = symbolize::parse_address(options.image_base)) return *base;
  if (!options.image_base.empty())
    return std::unexpected(fmt::format("--image-base: \"{}\" is not a hexadecimal address", options.image_base));
  if (const auto base = opened.stated_image_base()) return *base;
  return std::unexpected(
      fmt::format("--svma: {} is made from \"{}\", which does not say at which address its image "
                  "starts; add --image-base, or give addresses from the image base without --svma",
                  options.file, cache->producer_kind()));
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
    fmt::print(stderr, "symcached lookup: {}: {}\n", url, text.error().why);
    return std::nullopt;
  };
}

std::expected<std::unique_ptr<Answerer>, std::string> answerer_of(const Options& options,
                                                                  const symbolize::OpenedModule& opened) {
  const auto base = image_base_of(options, opened);
  if (!base) return std::unexpected(base.error());
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
      .image_base = *base,
      .source_lines = options.source_lines};
  return std::make_unique<ModuleAnswerer>(opened.module(), options.file, how, std::move(sources));
}

int run(const Options& options) {
  const auto opened =
      symbolize::OpenedModule::open(options.file, {.debug_folders = options.debug_folders,
                                                   .threads = std::max(1u, std::thread::hardware_concurrency()),
                                                   .keep_sources = options.source_lines != 0});
  if (!opened) {
    fmt::print(stderr, "symcached lookup: {}\n", opened.error());
    return kCouldNot;
  }
  const auto answerer = answerer_of(options, *opened);
  if (!answerer) {
    fmt::print(stderr, "symcached lookup: {}\n", answerer.error());
    return kWrongUsage;
  }
  const bool good = options.questions.empty() ? answer_stdin(options.json, **answerer)
                                              : answer_arguments(options.questions, options.json, **answerer);
  if (std::ferror(stdout) != 0) {
    fmt::print(stderr, "symcached lookup: could not write the answers: {}\n", std::strerror(errno));
    return kCouldNot;
  }
  return good ? kDone : kWrongUsage;
}

}  // namespace

void add_lookup(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("lookup", "names, files and lines for addresses");
  command->add_option("file", options->file, "a debug file or a .NET assembly, or a cache made of one")->required();
  command->add_option(
      "address", options->questions,
      "hexadecimal, from the image base; of .NET METHOD:IL, as 4:26 or 0x06000004:0x1a; none: lines of stdin");
  command->add_flag("--json", options->json, "one JSON array for arguments, one object per line for stdin");
  command->add_flag("--no-inlines", options->no_inlines,
                    "only the function itself, at the line of its own that holds the address");
  command->add_flag("--svma", options->svma,
                    "addresses are as the file states them; PDBs and symcaches need --image-base for it");
  add_debug_folders(*command, options->debug_folders);
  command->add_option("--image-base", options->image_base, "with --svma: where the image starts, hexadecimal");
  const std::map<std::string, symbolize::FunctionNames> names{{"readable", symbolize::FunctionNames::readable},
                                                              {"short", symbolize::FunctionNames::brief},
                                                              {"linkage", symbolize::FunctionNames::linkage},
                                                              {"none", symbolize::FunctionNames::none}};
  command
      ->add_flag("-f{readable},--functions{readable}", options->names,
                 "=short: names without parameters; =linkage: linkage names, demangled; =none")
      ->transform(CLI::CheckedTransformer(names));
  command->add_flag("-C,--demangle,!--no-demangle", options->demangle, "demangled names, as without it");
  command->add_flag("--no-parameters", options->no_parameters, "demangled names without the parameters of functions");
  command->add_flag("-s,--basenames", options->basenames, "files without their folders");
  command->add_option("--print-source-context-lines", options->source_lines,
                      "of .NET: print so many lines of source around each line, if the sources are at hand");
  const std::map<std::string, FetchSources> fetches{{"public", FetchSources::public_hosts},
                                                    {"anywhere", FetchSources::anywhere}};
  command
      ->add_flag("--fetch-sources{public}", options->fetch_sources,
                 "with it: ask the URLs of Source Link, on public hosts; =anywhere: in private networks, too")
      ->transform(CLI::CheckedTransformer(fetches));
  command->footer(
      "Each address, each line of stdin gets one answer. What is not an address is answered as unknown\n"
      "(in JSON as an object with \"Error\"), named on stderr, and makes the exit status 2.");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
