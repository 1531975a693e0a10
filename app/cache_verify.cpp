#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "app/cache_entries.hpp"
#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/progress.hpp"
#include "base/threads.hpp"
#include "base/utf8.hpp"

namespace symcached::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCommand = "cache verify";
constexpr unsigned kMaxThreads = 64;
constexpr std::size_t kBatch = 4096;  ///< entries dealt to the threads at once

struct Options {
  CachePlace place;
  bool repair = false;
  unsigned threads = hardware_threads();
};

/// Checks entries as they are found, and prints those that are damaged.
class Verification {
 public:
  Verification(fs::path directory, const Options& options, std::uint64_t bytes)
      : directory_(std::move(directory)), options_(options), all_bytes_(bytes) {}

  void add(const store::FoundEntry& entry) {
    batch_.push_back({std::string(entry.name), entry.size()});
    if (batch_.size() == kBatch) check_batch();
  }
  void check_batch() {
    std::atomic<std::size_t> next = 0;
    run_on_threads(std::min<std::size_t>(options_.threads, batch_.size()), [&](std::size_t) {
      for (std::size_t i = next++; i < batch_.size(); i = next++) check(batch_[i]);
    });
    batch_.clear();
  }
  void other(const std::string& name, std::string_view what) {
    progress_.print(fmt::format("{}: no entry: {}; left alone", path(name), what));
  }
  void unreadable(const std::string& name, std::string_view why) {
    ++unreadable_;
    progress_.print(fmt::format("{}: {}", path(name), why));
  }
  /// @return the exit status
  int summarize() {
    std::string line = amount_text(entries_, bytes_) + " checked";
    if (damaged_ != 0) line += fmt::format(", {} damaged", damaged_.load());
    if (options_.repair && damaged_ != 0) line += fmt::format(", {} removed", removed_.load());
    if (unreadable_ != 0) line += fmt::format(", {} not readable", unreadable_.load());
    progress_.print(line);
    return damaged_ == 0 && unreadable_ == 0 ? kDone : kCouldNot;
  }

 private:
  struct Entry {
    std::string name;
    std::uint64_t size;
  };

  /// From any thread.
  void check(const Entry& entry) {
    const auto report = service::check_entry(directory_, entry.name);
    progress_.at(done_bytes_ += entry.size, all_bytes_);
    if (!report) return;  // removed meanwhile
    ++entries_;
    bytes_ += entry.size;
    if (report->state == service::EntryState::unreadable) return unreadable(entry.name, report->why);
    if (report->state != service::EntryState::damaged) return;
    ++damaged_;
    const std::string key = report->head.key.empty() ? "key unknown" : escaped(report->head.key);
    progress_.print(fmt::format("{}: {}: {}", path(entry.name), key, escaped(report->why)));
    if (options_.repair && remover_.remove(entry.name)) ++removed_;
  }
  std::string path(const std::string& name) const { return escaped((directory_ / name).string()); }

  const fs::path directory_;
  const Options& options_;
  const std::uint64_t all_bytes_;
  EntryRemover remover_{kCommand, directory_};
  std::vector<Entry> batch_;
  std::atomic<std::uint64_t> done_bytes_ = 0, entries_ = 0, bytes_ = 0, damaged_ = 0, removed_ = 0, unreadable_ = 0;
  Progress progress_{"checking entries"};
};

/// Of all entries, for the progress.
std::uint64_t bytes_in(const fs::path& directory) {
  std::uint64_t bytes = 0;
  const auto walked = store::walk(directory, {.entry = [&](const store::FoundEntry& e) { bytes += e.size(); }});
  return walked ? bytes : 0;
}

int run(const Options& options) {
  const auto cache = find_cache(kCommand, options.place);
  if (!cache) return kCouldNot;
  Verification verification(cache->directory, options, bytes_in(cache->directory));
  const store::Visitor visitor{
      [&](const store::FoundEntry& entry) { verification.add(entry); },
      [&](const std::string& name, std::string_view what) { verification.other(name, what); },
      [&](const std::string& name, std::string_view why) { verification.unreadable(name, why); }};
  if (const auto walked = store::walk(cache->directory, visitor); !walked) {
    complain(kCommand, walked.error());
    return kCouldNot;
  }
  verification.check_batch();
  return verification.summarize();
}

constexpr const char* kFooter = R"(Reads every entry whole: its head, the checksum of what is in it, of symcaches
and ppdbcaches every record, of originals whether they are of the kind that the
key says. Entries of earlier versions are checked by their checksums. Prints one
line for each damaged entry: its file, its key, what is wrong.

Examples:
  symcached cache verify
  symcached cache verify --repair --cache-dir /var/cache/symcached

Exit status:
  0  every entry is sound
  1  an entry is damaged, even if it was removed, or could not be read
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir)";

}  // namespace

void add_cache_verify(CLI::App& cache, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = cache.add_subcommand("verify", "Check every byte of every entry; name the damaged ones");
  add_cache_place(*command, options->place);
  command->add_flag("--repair", options->repair, "remove damaged entries; they come back when they are asked for");
  command->add_option("-j,--threads", options->threads, "entries checked at once [default: all cores]")
      ->type_name("N")
      ->check(number_from(1, kMaxThreads));
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
