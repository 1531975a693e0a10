#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/answerer.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/companions.hpp"
#include "app/frame_text.hpp"
#include "app/managed_sources.hpp"
#include "app/method_answerer.hpp"
#include "app/native_pdb.hpp"
#include "app/original_file.hpp"
#include "app/user_agent.hpp"
#include "fetch/text_fetcher.hpp"
#include "object/identify.hpp"
#include "object/managed_files.hpp"
#include "object/translate.hpp"
#include "ppdbcache/reader.hpp"
#include "service/derive.hpp"
#include "symcache/reader.hpp"

namespace symcached::app {
namespace {

enum class FetchSources : std::uint8_t { never, public_hosts, anywhere };

constexpr std::string_view kCommand = "lookup";
constexpr std::uint32_t kMaxSourceLines = 1'000'000;

struct Options {
  std::string file;
  std::vector<std::string> questions;
  std::string image_base;
  std::vector<std::string> debug_folders{kDebugFolder};
  bool json = false, no_inlines = false, svma = false;
  std::uint32_t source_lines = 0;
  FetchSources fetch_sources = FetchSources::never;
  bool demangle = true, no_parameters = false, basenames = false;
  FunctionNames names = FunctionNames::readable;
};

FrameText frame_text_of(const Options& options) {
  return {.names = options.names,
          .inlines = !options.no_inlines,
          .demangle = options.demangle,
          .detail = options.no_parameters ? demangle::Detail::no_parameters : demangle::Detail::full,
          .basenames = options.basenames};
}

void warn(const std::string& what) { complain(kCommand, "warning: " + what); }

/// What is wrong with a cache of ours.
std::string cache_problem(const std::string& path, const ReadError& error) {
  if (!error.field.ends_with("cache.version")) return fmt::format("{}: {}", path, to_string(error));
  return fmt::format("{}: {} {} is not supported (expected {}); convert the original again", path,
                     error.field == "symcache.version" ? "symcache version" : "ppdbcache version", error.found,
                     error.wanted);
}

/// Keeps whatever the opened cache is a view of.
struct OpenedCache {
  OriginalFile file;
  std::vector<std::byte> derived;
  std::optional<symcache::Symcache> cache;
  std::optional<ppdbcache::Reader> managed;  ///< of .NET: instead of `cache`
  Companions companions;
  std::optional<object::ManagedFiles> managed_files;  ///< what `managed` was made from, if sources are wanted
};

std::expected<OpenedCache, std::string> open_managed(const Options& options, OpenedCache opened) {
  const Bytes bytes = opened.file.bytes();
  if (!ppdbcache::is_ppdbcache(bytes)) {
    opened.companions = find_companions(options.file, bytes, options.debug_folders);
    auto derived = service::derive_ppdbcache({bytes, opened.companions.all()});
    if (!derived) return std::unexpected(fmt::format("{}: {}", options.file, derived.error()));
    if (options.source_lines != 0)
      if (auto files = object::ManagedFiles::open(bytes, opened.companions.all()))
        opened.managed_files = std::move(*files);
    opened.derived = std::move(derived->file);
  }
  auto cache = ppdbcache::Reader::open(opened.derived.empty() ? bytes : Bytes(opened.derived));
  if (!cache) return std::unexpected(cache_problem(options.file, cache.error()));
  if (cache->point_count() == 0 && object::identify(bytes) == object::FileKind::pe)
    warn(fmt::format("{}: no usable PDB; files and lines are unknown", options.file));
  opened.managed = *cache;
  return opened;
}

std::expected<std::vector<std::byte>, std::string> derive_from(const std::string& path, const OriginalFile& file,
                                                               const Options& options) {
  const Companions companions = find_companions(path, file.bytes(), options.debug_folders);
  const auto release = [&] {
    file.release_pages();
    companions.release_pages();
  };
  auto derived = service::derive_symcache(
      {file.bytes(), companions.all(), release, std::max(1u, std::thread::hardware_concurrency())});
  if (!derived) return std::unexpected(fmt::format("{}: {}", path, derived.error()));
  return std::move(derived->file);
}

/// A symcache of the file, or of the PDB that it names.
std::expected<std::vector<std::byte>, std::string> derive(const Options& options, const OriginalFile& file) {
  const NativePdb pdb = find_native_pdb(options.file, file.bytes());
  if (!pdb.warning.empty()) warn(pdb.warning);
  if (!pdb.path) return derive_from(options.file, file, options);
  const auto opened = OriginalFile::open(*pdb.path);
  if (!opened) return std::unexpected(opened.error());
  return derive_from(pdb.path->string(), *opened, options);
}

std::expected<OpenedCache, std::string> open_cache(const Options& options) {
  const std::string& path = options.file;
  OpenedCache opened;
  auto file = OriginalFile::open(path);
  if (!file) return std::unexpected(file.error());
  opened.file = std::move(*file);
  const Bytes bytes = opened.file.bytes();
  if (ppdbcache::is_ppdbcache(bytes) || object::is_managed(bytes)) return open_managed(options, std::move(opened));
  if (!symcache::is_symcache(bytes)) {
    auto derived = derive(options, opened.file);
    if (!derived) return std::unexpected(std::move(derived.error()));
    opened.derived = std::move(*derived);
  }
  auto cache = symcache::Symcache::open(opened.derived.empty() ? bytes : Bytes(opened.derived));
  if (!cache) return std::unexpected(cache_problem(path, cache.error()));
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
      if (found && how_.names == FunctionNames::linkage) how_.linkage_name = cache_.linkage_name(*found, buffer_);
      if (json_) append_json({*address, base_, module_}, found, how_, out);
      else append_text(found, how_, out);
      return true;
    }
    if (json_) append_json_error(text, module_, "not a hexadecimal address", out);
    else append_text(std::nullopt, how_, out);
    if (text.empty()) return true;
    if (parse_method_place(text)) complain(kCommand, fmt::format("\"{}\": METHOD:IL needs a .NET file", text));
    else complain(kCommand, fmt::format("\"{}\" is not a hexadecimal address of at most 64 bits", text));
    return false;
  }

 private:
  const symcache::Symcache& cache_;
  FrameText how_;
  std::string_view module_;
  bool json_;
  std::uint64_t base_;
  symcache::FrameBuffer buffer_;
};

/// What to take off each address: 0, or the image base when addresses are as the file states them.
std::expected<std::uint64_t, std::string> image_base_of(const Options& options, const OpenedCache& opened) {
  if (!options.svma) return 0;
  if (const auto base = parse_address(options.image_base)) return *base;
  if (const auto base = object::stated_image_base(opened.file.bytes())) return *base;
  return std::unexpected(fmt::format(
      "--svma: {} does not store its image base; add --image-base, or give RVAs without --svma", options.file));
}

/// What may be fetched; empty: nothing.
FetchText fetch_text_of(const Options& options) {
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

std::expected<std::unique_ptr<Answerer>, std::string> method_answerer_of(const Options& options,
                                                                         const OpenedCache& opened) {
  std::unique_ptr<ManagedSources> sources;
  if (opened.managed_files && opened.managed_files->pdb() != nullptr) {
    auto found = ManagedSources::open(*opened.managed_files->pdb(), fetch_text_of(options));
    if (!found) return std::unexpected(fmt::format("{}: {}", options.file, to_string(found.error())));
    sources = std::make_unique<ManagedSources>(std::move(*found));
  }
  const MethodAnswerer::Options how{.json = options.json,
                                    .names = options.names != FunctionNames::none,
                                    .basenames = options.basenames,
                                    .source_lines = options.source_lines};
  return std::make_unique<MethodAnswerer>(*opened.managed, options.file, how, std::move(sources));
}

std::expected<std::unique_ptr<Answerer>, std::string> answerer_of(const Options& options, const OpenedCache& opened) {
  if (opened.managed && options.svma)
    return std::unexpected("--svma does not apply to .NET files; give METHOD:IL, such as 4:26");
  if (opened.managed) return method_answerer_of(options, opened);
  if (options.source_lines != 0) warn("--print-source-context-lines works for .NET files only; ignored");
  const auto base = image_base_of(options, opened);
  if (!base) return std::unexpected(base.error());
  return std::make_unique<AddressAnswerer>(options, *opened.cache, *base);
}

int run(const Options& options) {
  const auto opened = open_cache(options);
  if (!opened) {
    complain(kCommand, opened.error());
    return kCouldNot;
  }
  const auto answerer = answerer_of(options, *opened);
  if (!answerer) {
    complain(kCommand, answerer.error());
    return kWrongUsage;
  }
  if (options.questions.empty() && ::isatty(STDIN_FILENO) != 0)
    fmt::print(stderr, "Reading addresses from standard input, one per line.\n");
  const bool good = options.questions.empty() ? answer_stdin(options.json, **answerer)
                                              : answer_arguments(options.questions, options.json, **answerer);
  return good ? kDone : kWrongUsage;
}

constexpr const char* kFooter = R"(Each address or line of input gets one answer: function and file:line:column of
each frame, innermost first, then an empty line; ?? where nothing is known. What
is not an address is answered as unknown (in JSON with "Error") and reported on
stderr.

Examples:
  symcached lookup app.pdb 0x1234 0x5678     RVAs: bytes from the image's start
  symcached lookup --json app.pdb.symcache <addresses.txt
  symcached lookup app.dll 0x06000004:0x1a   .NET: method token and IL offset

Exit status:
  0  success, also when an address has no symbol
  1  the file cannot be read, or the output cannot be written
  2  wrong usage, or something given was not an address

Environment:
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies for --fetch-sources=anywhere)";

void add_name_options(CLI::App& command, Options& options) {
  command
      .add_flag("-f{readable},--functions{readable}", options.names,
                "how to print functions: readable; short, without parameters; linkage, the linkage name demangled; or "
                "none")
      ->option_text("[=STYLE]")
      ->transform(one_of({{"readable", static_cast<int>(FunctionNames::readable)},
                          {"short", static_cast<int>(FunctionNames::brief)},
                          {"linkage", static_cast<int>(FunctionNames::linkage)},
                          {"none", static_cast<int>(FunctionNames::none)}}));
  command.add_flag("-C,--demangle,!--no-demangle", options.demangle,
                   "demangle function names (the default), or do not");
  command.add_flag("--no-parameters", options.no_parameters, "omit the parameters of demangled functions");
  command.add_flag("-s,--basenames", options.basenames, "print file names without directories");
}

void add_address_options(CLI::App& command, Options& options) {
  CLI::Option* const svma = command.add_flag(
      "--svma", options.svma, "addresses are virtual addresses, not RVAs; a PDB or symcache needs --image-base for it");
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
  command->add_option("FILE", options->file, "debug file, program, .NET assembly, symcache or ppdbcache")->required();
  command->add_option(
      "ADDRESS", options->questions,
      "hexadecimal; for .NET, METHOD:IL, such as 4:26 or 0x06000004:0x1a; default: read standard input, "
      "one per line");
  command->add_flag("--json", options->json,
                    "print JSON: one array for arguments, one object per line for standard input");
  command->add_flag("--no-inlines", options->no_inlines,
                    "omit inlined frames; print the function itself, at the line of the call");
  add_name_options(*command, *options);
  add_address_options(*command, *options);
  add_debug_folders(*command, options->debug_folders);
  add_source_options(*command, *options);
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
