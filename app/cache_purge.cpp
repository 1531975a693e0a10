#include <fmt/format.h>

#include <memory>

#include "app/cache_entries.hpp"
#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "base/utf8.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kCommand = "cache purge";

struct Options {
  CachePlace place;
  CacheFilter filter;
  bool all = false;
  bool dry_run = false;
};

std::string shown(const store::FoundEntry& entry, const service::EntryReport* report) {
  const bool known = report != nullptr && !report->head.key.empty();
  return fmt::format("{} {} {}", kind_text(entry.place), entry.place.scope, known ? report->head.key : entry.name);
}

int run(const Options& options) {
  const auto cache = find_cache(kCommand, options.place);
  if (!cache) return kCouldNot;
  std::uint64_t entries = 0, bytes = 0;
  EntryRemover remover(kCommand, cache->directory);
  const auto on_entry = [&](const store::FoundEntry& entry, const service::EntryReport* report) {
    if (options.dry_run) fmt::print("{}\n", escaped(shown(entry, report)));
    else if (!remover.remove(entry.name)) return;
    ++entries;
    bytes += entry.size();
  };
  const Heads heads = options.dry_run ? Heads::always : Heads::if_needed;
  const Walked walked = for_each_entry(kCommand, cache->directory, options.filter, heads, on_entry);
  fmt::print("{}{}\n", options.dry_run ? "would remove " : "removed ", amount_text(entries, bytes));
  return remover.status() == kDone ? walked.status : remover.status();
}

constexpr const char* kFooter = R"(Entries come back when they are asked for. All conditions have to hold; without
any, --all is needed. What is no entry of the cache is left alone.

Examples:
  symcached cache purge crash.pdb                     all builds of crash.pdb
  symcached cache purge --state old --state damaged
  symcached cache purge --kind objects --older-than 30d --dry-run

Exit status:
  0  success, also when nothing matches
  1  the directory is no cache, or an entry could not be removed
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir)";

}  // namespace

void add_cache_purge(CLI::App& cache, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = cache.add_subcommand("purge", "Remove entries by name, id, kind, scope, state or age");
  add_cache_filter(*command, options->filter);
  add_cache_place(*command, options->place);
  command->add_flag("--all", options->all, "remove every entry that the other options leave");
  command->add_flag("--dry-run", options->dry_run, "remove nothing, print what would be");
  command->footer(kFooter);
  command->callback([options, &status] {
    if (options->filter.is_empty() && !options->all)
      throw CLI::ValidationError("nothing says which entries; give a FILTER, an option such as --older-than, or --all");
    status = run(*options);
  });
}

}  // namespace symcached::app
