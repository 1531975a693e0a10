#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/cache_entries.hpp"
#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "base/quantity.hpp"
#include "base/utf8.hpp"
#include "store/store.hpp"
#include "store/survey.hpp"

namespace symcached::app {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* kCommand = "cleanup";
constexpr const char* kFooter = R"(Removes from a cache directory what was not used for 7 days, then what is
least valuable until the limits hold, then empty folders and temporary files
of killed runs. A configuration file may have other times and limits, also for
each kind of entry. Servers may use the directory meanwhile, and clean it up
themselves; this is for when none runs. Prints each entry that it removes.

Examples:
  symcached cleanup --dry-run
  symcached cleanup --cache-dir /var/cache/symcached --max-size 50GB
  symcached cleanup -c /etc/symcached.yml
  symcached cleanup --max-size 0
  symcached cleanup --min-free 10% --repeat=15m

Exit status:
  0  the limits hold; with --repeat, ended by a signal
  1  no such cache directory, or the limits do not hold
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir)";

struct Options {
  CachePlace place;
  std::string max_size, min_free, repeat;
  bool dry_run = false;
};

/// What is configured, or the options say, which are checked by then.
store::CacheLimits limits_of(const config::Config& config, const Options& options) {
  store::CacheLimits limits = app::limits_of(config);
  if (const auto size = parse_size(options.max_size)) limits.total.max_size = *size;
  if (const auto part = parse_percent(options.min_free)) limits.total.min_free = {.percent = *part};
  else if (const auto free = parse_size(options.min_free)) limits.total.min_free = {.bytes = *free};
  return limits;
}

/// A directory that is none of ours is refused here, so that cleaning up creates nothing.
bool is_cache(const fs::path& directory) {
  std::error_code error;
  if (fs::is_regular_file(directory / store::kMarkerName, error)) return true;
  complain(kCommand, fmt::format("{}: not a cache directory (no {})", directory.string(), store::kMarkerName));
  return false;
}

void print_removed(const std::string& name, std::uint64_t bytes, store::RemovedAs why) {
  fmt::print("{:>8}  {}  {}\n", size_text(bytes), why == store::RemovedAs::expired ? "unused" : "room  ",
             escaped(name));
}

void print_sums(const store::QuotaCounts& counts, bool dry_run) {
  fmt::print("{} {}\n", dry_run ? "would remove" : "removed", removed_text(counts));
  std::fflush(stdout);
}

/// Once. @return the exit status
int clean_up(const fs::path& directory, const store::CacheLimits& limits, bool dry_run) {
  store::StoreOptions options;
  options.quotas = {.limits = limits, .dry_run = dry_run, .removed = print_removed};
  const auto store = store::Store::open(directory, kNoBoot, std::move(options));
  if (!store) {
    complain(kCommand, store.error());
    return kCouldNot;
  }
  store::Quotas& quotas = *(*store)->quotas();
  store::survey(directory, quotas, [](auto) { return true; });
  quotas.expire(static_cast<std::uint32_t>(std::time(nullptr)));
  const bool all_hold = quotas.enforce();
  if (!dry_run) {
    (*store)->remove_left_overs();
    store::remove_empty_folders(directory);
  }
  print_sums(quotas.counts(), dry_run);
  if (!all_hold) complain(kCommand, fmt::format("{}: the limits do not hold with an empty cache", directory.string()));
  return all_hold ? kDone : kCouldNot;
}

/// Waits for a signal that ends the program, which is blocked. @return whether there was one
bool was_ended_within(milliseconds time, const sigset_t& signals) {
  const timespec wait{.tv_sec = time.count() / 1000, .tv_nsec = time.count() % 1000 * 1'000'000};
  return ::sigtimedwait(&signals, nullptr, &wait) > 0;
}

int run(const Options& options) {
  const auto cache = find_cache(kCommand, options.place);
  if (!cache || !is_cache(cache->directory)) return kCouldNot;
  const store::CacheLimits limits = limits_of(cache->config, options);
  if (options.repeat.empty()) return clean_up(cache->directory, limits, options.dry_run);
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const milliseconds pause = *parse_duration(options.repeat);
  do clean_up(cache->directory, limits, options.dry_run);
  while (!was_ended_within(pause, signals));
  return kDone;
}

template <class Parse>
CLI::Validator parsed_by(Parse parse) {
  const auto check = [parse](std::string& text) {
    const auto value = parse(text);
    return value ? std::string() : value.error();
  };
  return {check, ""};
}

std::expected<double, std::string> parse_free(const std::string& text) {
  if (text.ends_with('%')) return parse_percent(text);
  if (const auto bytes = parse_size(text); !bytes) return std::unexpected(bytes.error());
  return 0;
}

}  // namespace

void add_cleanup(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(kCommand, "Remove unused and surplus entries from a cache directory");
  const auto options = std::make_shared<Options>();
  add_cache_place(*command, options->place);
  command->add_option("--max-size", options->max_size, "most bytes on disk of all entries, such as 50GB")
      ->type_name("SIZE")
      ->default_str("caches.max_size of the file, or 20GiB")
      ->check(parsed_by(parse_size));
  command->add_option("--min-free", options->min_free, "free space to leave to others, such as 10% or 50GB")
      ->type_name("SIZE|PERCENT")
      ->default_str("caches.min_free of the file, or 5%")
      ->check(parsed_by(parse_free));
  command->add_flag("--dry-run", options->dry_run, "only print what would be removed");
  command->add_option("--repeat", options->repeat, "start over after this long, such as 15m, until a signal")
      ->type_name("TIME")
      ->check(parsed_by(parse_duration));
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
