#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/debug_folders.hpp"
#include "app/progress.hpp"
#include "app/write_file.hpp"
#include "base/threads.hpp"
#include "object/identify.hpp"
#include "ppdbcache/reader.hpp"
#include "symbolize/companions.hpp"
#include "symbolize/derive.hpp"
#include "symbolize/native_pdb.hpp"
#include "symbolize/open_module.hpp"
#include "symbolize/original_file.hpp"
#include "symcache/reader.hpp"

namespace symcached::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCommand = "convert";
constexpr unsigned kMaxThreads = 64;
constexpr const char *kSymcacheExtension = ".symcache", *kPpdbcacheExtension = ".ppdbcache";

struct Options {
  std::vector<std::string> files;
  std::string directory = ".";
  std::vector<std::string> debug_folders{symbolize::kDebugFolder}, symbol_maps;
  unsigned threads = hardware_threads();
  bool stats = false, no_columns = false;
  std::uint64_t max_unpacked = 0;  ///< bytes; 0 = not given

  InflateLimits inflate() const { return max_unpacked == 0 ? InflateLimits{} : InflateLimits::exactly(max_unpacked); }
};

fs::path target_of(const std::string& file, const Options& options, const char* extension) {
  const symbolize::ArchiveMemberPath named = symbolize::archive_member_in(file);
  const std::string member = fs::path(named.member).filename().string();  // in a thin archive it has folders
  fs::path name = named.archive.filename();
  if (!member.empty()) name += fmt::format("({})", member);
  return fs::path(options.directory) / name.concat(extension);
}

struct Sizes {
  std::size_t original, cache;  ///< bytes
  std::string percent(std::uint64_t part) const {
    return fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(original));
  }
};

void print_sections(const char* kind, const Sizes& sizes,
                    std::span<const std::pair<const char*, std::uint64_t>> sections) {
  fmt::print("  original     {:>12} bytes\n  {:<13}{:>12} bytes  {}\n", sizes.original, kind, sizes.cache,
             sizes.percent(sizes.cache));
  for (const auto& [name, bytes] : sections)
    fmt::print("    {:<11}{:>12} bytes  {}\n", name, bytes, sizes.percent(bytes));
}

void print_stats(const symcache::Symcache& cache, const Sizes& sizes) {
  std::uint64_t rows = 0;
  symcache::FrameBuffer scratch;
  for (std::uint32_t i = 0; i < cache.function_count(); ++i)
    if (const auto f = cache.function(i, scratch)) rows += f->row_count;
  using symcache::Header;
  const std::pair<const char*, std::uint64_t> sections[] = {
      {"index", cache.section_size(&Header::samples) + cache.section_size(&Header::starts) +
                    cache.section_size(&Header::records)},
      {"functions", cache.section_size(&Header::functions)},
      {"subprograms", cache.section_size(&Header::subprograms)},
      {"names", cache.section_size(&Header::names) + cache.section_size(&Header::files)},
      {"text", cache.section_size(&Header::text)}};
  print_sections("symcache", sizes, sections);
  fmt::print("  functions    {:>12}\n  rows         {:>12}\n", cache.function_count(), rows);
}

void print_stats(const ppdbcache::Reader& cache, const Sizes& sizes) {
  print_sections("ppdbcache", sizes, {});
  fmt::print("  methods      {:>12}\n  points       {:>12}\n  documents    {:>12}\n", cache.method_count(),
             cache.point_count(), cache.document_count());
}

const char* extension_of(symbolize::CacheKind kind) {
  return kind == symbolize::CacheKind::ppdbcache ? kPpdbcacheExtension : kSymcacheExtension;
}

std::expected<symbolize::DerivedCache, std::string> derive(const std::string& name, const symbolize::OriginalFile& file,
                                                           const Options& options) {
  const Progress progress(fmt::format("{} ({} MiB)", name, file.bytes().size() >> 20));
  const symbolize::Companions companions =
      symbolize::find_companions(name, file.bytes(), {options.debug_folders, options.symbol_maps});
  const auto release = [&] {
    file.release_pages();
    companions.release_pages();
  };
  auto derived = symbolize::derive_cache({file.bytes(), companions.all(), release, options.threads, file.inflate()},
                                         options.no_columns ? symcache::Columns::drop : symcache::Columns::keep);
  if (!derived) return std::unexpected(fmt::format("{}: {}", name, derived.error()));
  const auto managed = ppdbcache::Reader::open(derived->file);
  if (managed && managed->point_count() == 0 && object::identify(file.bytes()) == object::FileKind::pe)
    complain(kCommand, fmt::format("warning: {}: no usable PDB; its cache has no files and lines", name));
  if (derived->names_are_hidden) complain(kCommand, "warning: " + symbolize::hidden_names_text(name));
  return derived;
}

std::expected<void, std::string> convert(const std::string& named, const Options& options) {
  const std::string name = symbolize::debug_file_in(named).string();
  const auto begin = std::chrono::steady_clock::now();
  auto file = symbolize::OriginalFile::open(name, options.inflate());
  if (!file) return std::unexpected(file.error());
  const symbolize::NativePdb pdb = symbolize::find_native_pdb(name, file->bytes());
  if (!pdb.warning.empty()) complain(kCommand, "warning: " + pdb.warning);
  if (pdb.path) file = symbolize::OriginalFile::open(*pdb.path, options.inflate());
  if (!file) return std::unexpected(file.error());
  const auto derived = derive(pdb.path ? pdb.path->string() : name, *file, options);
  if (!derived) return std::unexpected(derived.error());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const fs::path target = target_of(named, options, extension_of(derived->kind));
  if (auto ok = write_file(target, derived->file); !ok) return ok;
  fmt::print("{}\n", target.string());
  if (options.stats) {
    const Sizes sizes{file->size_on_disk(), derived->file.size()};
    if (const auto cache = symcache::Symcache::open(derived->file)) print_stats(*cache, sizes);
    if (const auto cache = ppdbcache::Reader::open(derived->file)) print_stats(*cache, sizes);
    fmt::print("  time         {:>12.3f} s\n", taken.count());
  }
  std::fflush(stdout);  // each file is known to be done when it is
  return {};
}

/// Two files of one name would become one cache.
bool targets_differ(const Options& options) {
  std::map<fs::path, std::string> from;
  for (const std::string& file : options.files) {
    const auto [at, added] = from.try_emplace(target_of(file, options, ""), file);
    if (added) continue;
    complain(kCommand, fmt::format("the caches of {} and {} would overwrite each other; convert them into separate "
                                   "directories with -o",
                                   at->second, file));
    return false;
  }
  return true;
}

int run(const Options& options) {
  if (!targets_differ(options)) return kWrongUsage;
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error) {
    complain(kCommand, fmt::format("cannot create directory {}: {}", options.directory, error.message()));
    return kCouldNot;
  }
  int status = kDone;
  for (const std::string& file : options.files) {
    const auto ok = convert(file, options);
    if (ok) continue;
    complain(kCommand, ok.error());
    status = kCouldNot;
  }
  return status;
}

constexpr const char* kFooter = R"(Each cache is named after its file: app.pdb becomes app.pdb.symcache, a .NET
file FILE.ppdbcache. A program beside its PDB gets the symcache of the PDB. The
paths written are printed.

Examples:
  symcached convert app.pdb -o caches              caches/app.pdb.symcache
  symcached convert --stats lib.so.debug app.dll   two caches, sizes and counts
  symcached convert 'lib.a(x.o)' -o caches         a member of an archive

Exit status:
  0  every file was converted
  1  a file was not; stderr names it, the others are done
  2  wrong usage

Environment: none is read.)";

}  // namespace

void add_convert(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "Convert debug files to symcaches, .NET ones to ppdbcaches");
  command->add_option("FILE", options->files, "debug file, program, .NET assembly; may be compressed")->required();
  command->add_option("-o,--output-dir,--output", options->directory, "directory for the caches, created if missing")
      ->type_name("DIR")
      ->capture_default_str();
  add_debug_folders(*command, options->debug_folders);
  add_symbol_maps(*command, options->symbol_maps);
  command->add_flag("--no-columns", options->no_columns,
                    "leave out columns: symcaches are smaller, lines stay; not for .NET");
  command
      ->add_option("--threads", options->threads,
                   "worker threads; the result does not depend on it [default: all cores]")
      ->type_name("N")
      ->check(number_from(1, kMaxThreads));
  command
      ->add_option("--max-unpacked", options->max_unpacked,
                   "most bytes that compressed data may decompress to, such as 20GiB [default: 200 times the file, but "
                   "at least 64MiB and at most 8GiB]")
      ->type_name("SIZE")
      ->transform(byte_size());
  command->add_flag("--stats", options->stats, "print sizes, counts and time");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
