#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "app/commands.hpp"
#include "app/companions.hpp"
#include "app/original_file.hpp"
#include "app/progress.hpp"
#include "service/derive.hpp"
#include "symcache/reader.hpp"

namespace symcached::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> files;
  std::string directory = ".";
  std::vector<std::string> debug_folders{kDebugFolder};
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  bool stats = false;
};

/// Writes beside the target and renames, so that a reader never sees half a file.
std::expected<void, std::string> write_file(const fs::path& path, Bytes bytes) {
  const fs::path unfinished = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  {
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.flush();
    if (!out) {
      std::error_code ignored;
      fs::remove(unfinished, ignored);
      return std::unexpected(fmt::format("{}: could not write {} bytes; is the disk full or the folder read-only?",
                                         path.string(), bytes.size()));
    }
  }
  std::error_code error;
  fs::rename(unfinished, path, error);
  if (!error) return {};
  const std::string why = error.message();
  fs::remove(unfinished, error);
  return std::unexpected(fmt::format("{}: could not put it in place: {}", path.string(), why));
}

fs::path target_of(const std::string& file, const Options& options) {
  return fs::path(options.directory) / fs::path(file).filename().concat(".symcache");
}

void print_stats(const symcache::Symcache& cache, std::size_t original, std::size_t size, double seconds) {
  std::uint64_t rows = 0;
  symcache::FrameBuffer scratch;
  for (std::uint32_t i = 0; i < cache.function_count(); ++i)
    if (const auto f = cache.function(i, scratch)) rows += f->row_count;
  const auto percent = [&](std::uint64_t part) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(original);
  };
  fmt::print("  original     {:>12} bytes\n  symcache     {:>12} bytes  {:.2f} %\n", original, size, percent(size));
  using symcache::Header;
  const std::pair<const char*, std::uint64_t> sections[] = {
      {"index", cache.section_size(&Header::samples) + cache.section_size(&Header::starts) +
                    cache.section_size(&Header::records)},
      {"functions", cache.section_size(&Header::functions)},
      {"subprograms", cache.section_size(&Header::subprograms)},
      {"names", cache.section_size(&Header::names) + cache.section_size(&Header::files)},
      {"text", cache.section_size(&Header::text)}};
  for (const auto& [name, bytes] : sections)
    fmt::print("    {:<11}{:>12} bytes  {:.2f} %\n", name, bytes, percent(bytes));
  fmt::print("  functions    {:>12}\n  rows         {:>12}\n  time         {:>12.3f} s\n", cache.function_count(), rows,
             seconds);
}

std::expected<void, std::string> convert(const std::string& name, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto file = OriginalFile::open(name);
  if (!file) return std::unexpected(file.error());
  const auto derived = [&] {
    const Progress progress(fmt::format("{} ({} MiB)", name, file->bytes().size() >> 20));
    const Companions companions = find_companions(name, file->bytes(), options.debug_folders);
    const auto release = [&] {
      file->release_pages();
      companions.release_pages();
    };
    return service::derive_symcache({file->bytes(), companions.all(), release, options.threads});
  }();
  if (!derived) return std::unexpected(fmt::format("{}: {}", name, derived.error()));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  const fs::path target = target_of(name, options);
  if (auto ok = write_file(target, derived->file); !ok) return ok;
  fmt::print("{}\n", target.string());
  std::fflush(stdout);  // each file is known to be done when it is
  if (options.stats)
    if (const auto cache = symcache::Symcache::open(derived->file))
      print_stats(*cache, file->size_on_disk(), derived->file.size(), taken.count());
  return {};
}

/// Two files of one name would become one cache.
bool targets_differ(const Options& options) {
  std::map<fs::path, std::string> from;
  for (const std::string& file : options.files) {
    const auto [at, added] = from.try_emplace(target_of(file, options), file);
    if (added) continue;
    fmt::print(stderr, "symcached convert: {} and {} would both become {}; convert them into different folders\n",
               at->second, file, at->first.string());
    return false;
  }
  return true;
}

int run(const Options& options) {
  if (!targets_differ(options)) return kWrongUsage;
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error) {
    fmt::print(stderr, "symcached convert: {}: {}\n", options.directory, error.message());
    return kCouldNot;
  }
  int status = kDone;
  for (const std::string& file : options.files) {
    if (const auto ok = convert(file, options); ok) continue;
    else fmt::print(stderr, "symcached convert: {}\n", ok.error());
    status = kCouldNot;
  }
  return status;
}

}  // namespace

void add_convert(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "derive the caches of files");
  command->add_option("file", options->files, "debug files")->required();
  command->add_option("-o,--output", options->directory, "folder for the caches; made if missing");
  add_debug_folders(*command, options->debug_folders);
  command->add_option("--threads", options->threads, "work with so many threads; the result is the same")
      ->check(CLI::Range(1, 64));
  command->add_flag("--stats", options->stats, "print sizes, counts and time");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
