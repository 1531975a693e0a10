#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cache_entries.hpp"
#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "base/quantity.hpp"
#include "base/utf8.hpp"
#include "store/entry_name.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kCommand = "cache ls";

enum class Sort : std::uint8_t { none, name, size, age };

struct Options {
  CachePlace place;
  CacheFilter filter;
  int sort = 0;  ///< Sort
  bool json = false;
};

/// An entry that waits to be printed in its order.
struct Listed {
  std::uint32_t place;  ///< number
  store::Digest digest;
  std::uint64_t size;
  store::TimePoint last_use;
  std::string key;  ///< only to sort by name
};

/// What is listed, as small as it can be: a million entries may be.
class Listing {
 public:
  void add(const store::FoundEntry& entry, std::string key) {
    const auto parsed = store::parse_entry_name(entry.name);
    if (!parsed) return;
    const auto [place, added] =
        numbers_.try_emplace(std::string(parsed->place), static_cast<std::uint32_t>(places_.size()));
    if (added) places_.push_back(place->first);
    listed_.push_back({place->second, parsed->digest, entry.size(), entry.last_use(), std::move(key)});
  }
  void sort(Sort by) {
    std::ranges::sort(listed_, [&](const Listed& a, const Listed& b) {
      if (by == Sort::size && a.size != b.size) return a.size > b.size;
      if (by == Sort::age && a.last_use != b.last_use) return a.last_use < b.last_use;
      return std::tie(a.key, places_[a.place], a.digest) < std::tie(b.key, places_[b.place], b.digest);
    });
  }
  const std::vector<Listed>& entries() const { return listed_; }
  std::string name_of(const Listed& listed) const { return store::entry_name(places_[listed.place], listed.digest); }

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<std::string> places_;
  std::vector<Listed> listed_;
};

struct Row {
  std::string_view name;
  store::Place place;
  std::uint64_t size;  ///< bytes of the file
  store::TimePoint last_use;
};

void print_heading() {
  fmt::print("{:<14} {:<8} {:<10} {:<9} {:>8}  {:<20}  {}\n", "KIND", "SCOPE", "STATE", "QUALITY", "SIZE", "LAST USE",
             "KEY");
}

void print_text(const Row& row, const service::EntryReport& report) {
  const bool known = !report.head.key.empty();
  fmt::print("{:<14} {:<8} {:<10} {:<9} {:>8}  {:<20}  {}\n", kind_text(row.place), row.place.scope,
             name_of(report.state), known ? name_of(report.head.quality) : "-", size_text(row.size),
             time_text(row.last_use), known ? escaped(report.head.key) : fmt::format("({})", row.name));
}

void print_json(const Row& row, const service::EntryReport& report) {
  boost::json::object out;
  const auto put = [&](const char* key, std::string_view value) { out[key] = valid_utf8(value); };
  put("kind", row.place.kind);
  out["version"] = row.place.version;
  put("scope", row.place.scope);
  put("state", name_of(report.state));
  if (!report.head.key.empty()) {
    put("quality", name_of(report.head.quality));
    put("key", report.head.key);
    if (!report.head.identity.empty()) put("identity", report.head.identity);
    put("created", time_text(report.head.created));
  }
  out["size"] = row.size;
  put("last_use", time_text(row.last_use));
  put("file", row.name);
  if (!report.why.empty()) put("error", report.why);
  fmt::print("{}\n", boost::json::serialize(out));
}

int run(const Options& options) {
  const auto cache = find_cache(kCommand, options.place);
  if (!cache) return kCouldNot;
  const auto print = [&](const Row& row, const service::EntryReport& report) {
    options.json ? print_json(row, report) : print_text(row, report);
  };
  const auto sort = static_cast<Sort>(options.sort);
  Listing listing;
  if (!options.json) print_heading();
  const auto on_entry = [&](const store::FoundEntry& entry, const service::EntryReport* report) {
    if (sort != Sort::none) listing.add(entry, sort == Sort::name ? report->head.key : std::string());
    else print({entry.name, entry.place, entry.size(), entry.last_use()}, *report);
  };
  const Heads heads = sort == Sort::size || sort == Sort::age ? Heads::if_needed : Heads::always;
  const Walked walked = for_each_entry(kCommand, cache->directory, options.filter, heads, on_entry);
  listing.sort(sort);
  for (const Listed& listed : listing.entries()) {
    const std::string name = listing.name_of(listed);
    const auto report = service::look_at_entry(cache->directory, name);
    const auto parsed = store::parse_entry_name(name);
    const auto place = parsed ? store::parse_place(parsed->place) : std::nullopt;
    if (report && place) print({name, *place, listed.size, listed.last_use}, *report);
  }
  return walked.status;
}

constexpr const char* kFooter = R"(Without --sort, entries are printed as they are found, in no order. Sizes are
those of the files. An entry whose key cannot be read is shown by the name of
its file.

Examples:
  symcached cache ls 'ntdll*' --kind symcaches
  symcached cache ls --older-than 7d --sort age
  symcached cache ls --json | jq -r 'select(.state == "absent").key'

Exit status:
  0  success, also when nothing matches
  1  the directory is no cache, or something in it could not be looked at
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir)";

}  // namespace

void add_cache_ls(CLI::App& cache, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = cache.add_subcommand("ls", "List entries: kind, scope, state, size, last use, key");
  add_cache_filter(*command, options->filter);
  add_cache_place(*command, options->place);
  command->add_option("--sort", options->sort, "order: name, size (largest first) or age (longest unused first)")
      ->type_name("BY")
      ->transform(one_of({{"name", static_cast<int>(Sort::name)},
                          {"size", static_cast<int>(Sort::size)},
                          {"age", static_cast<int>(Sort::age)}}));
  command->add_flag("--json", options->json, "print a JSON object per entry and line");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
