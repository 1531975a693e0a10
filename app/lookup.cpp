#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "app/commands.hpp"
#include "app/frame_text.hpp"
#include "base/mapped_file.hpp"
#include "service/derive.hpp"
#include "symcache/reader.hpp"

namespace symcached::app {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> addresses;
  bool json = false, no_inlines = false;
  FunctionNames names = FunctionNames::qualified;
};

/// Keeps whatever the opened cache is a view of.
struct OpenedCache {
  MappedFile file;
  std::vector<std::byte> derived;
  std::optional<symcache::Symcache> cache;
};

std::expected<OpenedCache, std::string> open_cache(const std::string& path) {
  OpenedCache opened;
  auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  opened.file = std::move(*file);
  Bytes bytes = opened.file.bytes();
  if (!symcache::is_symcache(bytes)) {
    auto derived = service::derive_symcache(bytes, [&] { opened.file.release_pages(); });
    if (!derived) return std::unexpected(fmt::format("{}: {}", path, derived.error()));
    opened.derived = std::move(derived->file);
    bytes = opened.derived;
  }
  auto cache = symcache::Symcache::open(bytes);
  if (!cache) return std::unexpected(fmt::format("{}: {}", path, to_string(cache.error())));
  opened.cache = *cache;
  return opened;
}

/// Hexadecimal with or without 0x, as every tool prints addresses.
std::optional<std::uint64_t> parse_address(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Answerer {
 public:
  Answerer(const Options& options, const symcache::Symcache& cache) : options_(options), cache_(cache) {}

  bool answer(std::string_view text, std::string& out) {
    const auto address = parse_address(text);
    if (!address) {
      fmt::print(stderr, "symcached lookup: \"{}\" is not a hexadecimal address\n", text);
      return false;
    }
    const auto found = cache_.lookup({*address}, buffer_);
    FrameText how{options_.names, !options_.no_inlines, {}};
    if (found && how.names == FunctionNames::linkage) how.linkage_name = cache_.linkage_name(*found, buffer_);
    if (options_.json) append_json(*address, options_.file, found, how, out);
    else append_text(found, how, out);
    return true;
  }

 private:
  const Options& options_;
  const symcache::Symcache& cache_;
  symcache::FrameBuffer buffer_;
};

void flush(std::string& out) {
  std::fwrite(out.data(), 1, out.size(), stdout);
  out.clear();
}

bool answer_arguments(const Options& options, Answerer& answerer) {
  std::string out;
  bool good = true;
  if (options.json) out += '[';
  for (std::size_t i = 0; i < options.addresses.size(); ++i) {
    if (options.json && i != 0) out += ',';
    good = answerer.answer(options.addresses[i], out) && good;
  }
  if (options.json) out += "]\n";
  flush(out);
  return good;
}

bool answer_stdin(const Options& options, Answerer& answerer) {
  constexpr std::size_t kFlushAt = 1u << 16;
  const bool interactive = ::isatty(STDIN_FILENO) != 0;
  std::string out, line;
  bool good = true;
  while (std::getline(std::cin, line)) {
    if (line.empty()) continue;
    good = answerer.answer(line, out) && good;
    if (options.json) out += '\n';
    // A program that asks one address at a time waits for each answer, so nothing is held back once input runs dry.
    if (interactive || out.size() >= kFlushAt || std::cin.rdbuf()->in_avail() <= 0) {
      flush(out);
      std::fflush(stdout);
    }
  }
  flush(out);
  return good;
}

int run(const Options& options) {
  const auto opened = open_cache(options.file);
  if (!opened) {
    fmt::print(stderr, "symcached lookup: {}\n", opened.error());
    return kCouldNot;
  }
  Answerer answerer(options, *opened->cache);
  const bool good = options.addresses.empty() ? answer_stdin(options, answerer) : answer_arguments(options, answerer);
  return good ? kDone : kWrongUsage;
}

}  // namespace

void add_lookup(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("lookup", "names, files and lines for addresses");
  command->add_option("file", options->file, "a debug file, or a symcache made of one")->required();
  command->add_option("address", options->addresses, "hexadecimal, from the image base; none: lines of stdin");
  command->add_flag("--json", options->json, "one JSON array for arguments, one object per line for stdin");
  command->add_flag("--no-inlines", options->no_inlines, "only the function, at its innermost line");
  const std::map<std::string, FunctionNames> names{
      {"short", FunctionNames::qualified}, {"linkage", FunctionNames::linkage}, {"none", FunctionNames::none}};
  command->add_option("--functions", options->names, "short: qualified names; linkage: decorated ones; none")
      ->transform(CLI::CheckedTransformer(names));
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
