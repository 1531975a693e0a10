#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/answerer.hpp"
#include "app/commands.hpp"
#include "app/module_answerer.hpp"
#include "app/user_agent.hpp"
#include "fetch/text_fetcher.hpp"
#include "object/managed/files.hpp"
#include "object/translate.hpp"
#include "ppdbcache/reader.hpp"
#include "symbolize/companions.hpp"
#include "symbolize/derive.hpp"
#include "symbolize/managed_sources.hpp"
#include "symbolize/original_file.hpp"
#include "symbolize/render_llvm.hpp"
#include "symcache/reader.hpp"

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

symbolize::FrameText frame_text_of(const Options& options) {
  return {.names = options.names,
          .inlines = !options.no_inlines,
          .demangle = options.demangle,
          .detail = options.no_parameters ? demangle::Detail::no_parameters : demangle::Detail::full,
          .basenames = options.basenames};
}

/// Keeps whatever the opened cache is a view of.
struct OpenedCache {
  symbolize::OriginalFile file;
  std::vector<std::byte> derived;
  std::optional<symcache::Symcache> cache;
  std::optional<ppdbcache::Reader> managed;  ///< of .NET: instead of `cache`
  symbolize::Companions companions;
  std::optional<object::ManagedFiles> managed_files;  ///< what `managed` was made from, if sources are wanted
};

std::expected<OpenedCache, std::string> open_managed(const Options& options, OpenedCache opened) {
  Bytes bytes = opened.file.bytes();
  if (!ppdbcache::is_ppdbcache(bytes)) {
    opened.companions = symbolize::find_companions(options.file, bytes, options.debug_folders);
    auto derived = symbolize::derive_ppdbcache({bytes, opened.companions.all()});
    if (!derived) return std::unexpected(fmt::format("{}: {}", options.file, derived.error()));
    if (options.source_lines != 0)
      if (auto files = object::ManagedFiles::open(bytes, opened.companions.all()))
        opened.managed_files = std::move(*files);
    opened.derived = std::move(derived->file);
    bytes = opened.derived;
  }
  auto cache = ppdbcache::Reader::open(bytes);
  if (!cache) return std::unexpected(fmt::format("{}: {}", options.file, to_string(cache.error())));
  opened.managed = *cache;
  return opened;
}

std::expected<OpenedCache, std::string> open_cache(const Options& options) {
  const std::string& path = options.file;
  OpenedCache opened;
  auto file = symbolize::OriginalFile::open(path);
  if (!file) return std::unexpected(file.error());
  opened.file = std::move(*file);
  const Bytes bytes = opened.file.bytes();
  if (ppdbcache::is_ppdbcache(bytes) || object::is_managed(bytes)) return open_managed(options, std::move(opened));
  if (!symcache::is_symcache(bytes)) {
    const symbolize::Companions companions = symbolize::find_companions(path, bytes, options.debug_folders);
    const auto release = [&] {
      opened.file.release_pages();
      companions.release_pages();
    };
    auto derived = symbolize::derive_symcache(
        {bytes, companions.all(), release, std::max(1u, std::thread::hardware_concurrency())});
    if (!derived) return std::unexpected(fmt::format("{}: {}", path, derived.error()));
    opened.derived = std::move(derived->file);
  }
  auto cache = symcache::Symcache::open(opened.derived.empty() ? bytes : Bytes(opened.derived));
  if (!cache) return std::unexpected(fmt::format("{}: {}", path, to_string(cache.error())));
  opened.cache = *cache;
  return opened;
}

/// Hexadecimal with or without 0x, as every tool prints addresses.
std::optional<std::uint64_t> parse_address(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Addresses, looked up in a symcache.
class AddressAnswerer final : public Answerer {
 public:
  AddressAnswerer(const Options& options, const symcache::Symcache& cache, std::uint64_t image_base)
      : cache_(cache), how_(frame_text_of(options)), module_(options.file), json_(options.json), base_(image_base) {}

  bool answer(std::string_view line, std::string& out) override {
    const std::string_view text = trimmed(line);
    if (const auto address = parse_address(text)) {
      const auto found = cache_.lookup({*address - base_}, buffer_);  // an address below the base is far behind the end
      how_.linkage_name = {};
      if (found && how_.names == symbolize::FunctionNames::linkage)
        how_.linkage_name = cache_.linkage_name(*found, buffer_);
      if (json_) symbolize::append_json({*address, base_, module_}, found, how_, out);
      else symbolize::append_text(found, how_, out);
      return true;
    }
    if (json_) symbolize::append_json_error(text, module_, "not a hexadecimal address", out);
    else symbolize::append_text(std::nullopt, how_, out);
    if (text.empty()) return true;
    fmt::print(stderr, "symcached lookup: \"{}\" is not a hexadecimal address of at most 64 bits\n", text);
    return false;
  }

 private:
  const symcache::Symcache& cache_;
  symbolize::FrameText how_;
  std::string_view module_;
  bool json_;
  std::uint64_t base_;
  symcache::FrameBuffer buffer_;
};

/// What to take off each address: 0, or the image base when addresses are as the file states them.
std::expected<std::uint64_t, std::string> image_base_of(const Options& options, const OpenedCache& opened) {
  if (!options.svma) return 0;
  if (const auto base = parse_address(options.image_base)) return *base;
  if (!options.image_base.empty())
    return std::unexpected(fmt::format("--image-base: \"{}\" is not a hexadecimal address", options.image_base));
  if (const auto base = object::stated_image_base(opened.file.bytes())) return *base;
  return std::unexpected(
      fmt::format("--svma: {} is made from \"{}\", which does not say at which address its image "
                  "starts; add --image-base, or give addresses from the image base without --svma",
                  options.file, opened.cache->producer_kind()));
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

std::expected<std::unique_ptr<Answerer>, std::string> method_answerer_of(const Options& options,
                                                                         const OpenedCache& opened) {
  std::unique_ptr<symbolize::ManagedSources> sources;
  if (opened.managed_files && opened.managed_files->pdb() != nullptr) {
    auto found = symbolize::ManagedSources::open(*opened.managed_files->pdb(), fetch_text_of(options));
    if (!found) return std::unexpected(fmt::format("{}: {}", options.file, to_string(found.error())));
    sources = std::make_unique<symbolize::ManagedSources>(std::move(*found));
  }
  const MethodAnswerer::Options how{.json = options.json,
                                    .names = options.names != symbolize::FunctionNames::none,
                                    .basenames = options.basenames,
                                    .source_lines = options.source_lines};
  return std::make_unique<MethodAnswerer>(*opened.managed, options.file, how, std::move(sources));
}

std::expected<std::unique_ptr<Answerer>, std::string> answerer_of(const Options& options, const OpenedCache& opened) {
  if (opened.managed) return method_answerer_of(options, opened);
  const auto base = image_base_of(options, opened);
  if (!base) return std::unexpected(base.error());
  return std::make_unique<AddressAnswerer>(options, *opened.cache, *base);
}

int run(const Options& options) {
  const auto opened = open_cache(options);
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
  symbolize::add_debug_folders(*command, options->debug_folders);
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
