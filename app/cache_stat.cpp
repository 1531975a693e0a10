#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cache_entries.hpp"
#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/key_stat.hpp"
#include "app/progress.hpp"
#include "base/quantity.hpp"
#include "base/utf8.hpp"
#include "config/load.hpp"

namespace symcached::app {
namespace {

constexpr std::string_view kCommand = "cache stat";

struct Options {
  CachePlace place;
  CacheFilter filter;
  KeyQuestion question;
  bool json = false;
};

struct Totals {
  std::uint64_t entries = 0, bytes = 0;
  std::uint64_t absent = 0, damaged = 0, old = 0;  ///< entries
  store::TimePoint oldest = store::TimePoint::max(), newest = store::TimePoint::min();

  void add(const store::FoundEntry& entry, service::EntryState state) {
    ++entries;
    bytes += entry.size();
    absent += state == service::EntryState::absent ? 1 : 0;
    damaged += state == service::EntryState::damaged ? 1 : 0;
    old += state == service::EntryState::old ? 1 : 0;
    oldest = std::min(oldest, entry.last_use());
    newest = std::max(newest, entry.last_use());
  }
  void add(const Totals& other) {
    entries += other.entries, bytes += other.bytes;
    absent += other.absent, damaged += other.damaged, old += other.old;
    oldest = std::min(oldest, other.oldest), newest = std::max(newest, other.newest);
  }
};

struct PlaceName {
  std::string kind;
  std::uint32_t version;
  std::string scope;
  auto operator<=>(const PlaceName&) const = default;
};
using Places = std::map<PlaceName, Totals>;

void print_row(std::string_view kind, std::string_view scope, const Totals& t) {
  const auto time = [&](store::TimePoint at) { return t.entries == 0 ? "-" : time_text(at); };
  fmt::print("{:<14} {:<8} {:>9} {:>8} {:>8} {:>8} {:>8}  {:<20}  {}\n", kind, scope, t.entries, size_text(t.bytes),
             t.absent, t.damaged, t.old, time(t.oldest), time(t.newest));
}

/// What is configured: for all entries, and for kinds that have limits of their own. Keys and texts as in the file.
std::vector<std::pair<std::string, std::string>> limits_of(const config::Config& config) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& group) {
    for (const char* key : {"max_size", "min_free", "max_unused_for"}) keys.push_back(group + key);
  };
  add("caches.");
  const std::size_t of_all = keys.size();
  for (const std::string_view kind : config::kKinds) add(fmt::format("caches.{}.", kind));
  const std::vector<std::string> texts =
      config::texts_of(config, std::vector<std::string_view>(keys.begin(), keys.end()));
  std::vector<std::pair<std::string, std::string>> limits;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i < of_all || (!texts[i].empty() && texts[i] != "0"))
      limits.emplace_back(keys[i], texts[i].empty() ? "null" : texts[i]);
  return limits;
}

void print_text(const Places& places, const Totals& all, std::uint64_t others, const FoundCache& cache) {
  fmt::print("{:<14} {:<8} {:>9} {:>8} {:>8} {:>8} {:>8}  {:<20}  {}\n", "KIND", "SCOPE", "ENTRIES", "SIZE", "ABSENT",
             "DAMAGED", "OLD", "OLDEST USE", "NEWEST USE");
  for (const auto& [name, totals] : places)
    print_row(kind_text({name.kind, name.version, name.scope}), name.scope, totals);
  print_row("total", "", all);
  if (others != 0) fmt::print("{} other files or directories\n", others);
  fmt::print("\n{}\n", escaped(cache.directory.string()));
  for (const auto& [key, value] : limits_of(cache.config)) fmt::print("{}: {}\n", key, value);
}

boost::json::object to_json(const Totals& t) {
  boost::json::object out{
      {"entries", t.entries}, {"bytes", t.bytes}, {"absent", t.absent}, {"damaged", t.damaged}, {"old", t.old}};
  if (t.entries == 0) return out;
  out["oldest_use"] = time_text(t.oldest);
  out["newest_use"] = time_text(t.newest);
  return out;
}

void print_json(const FoundCache& cache, const Places& places, const Totals& all, std::uint64_t others) {
  boost::json::array rows;
  for (const auto& [name, totals] : places) {
    boost::json::object row{{"kind", name.kind}, {"version", name.version}, {"scope", name.scope}};
    for (const auto& [key, value] : to_json(totals)) row[key] = value;
    rows.push_back(std::move(row));
  }
  boost::json::object limits;
  for (const auto& [key, value] : limits_of(cache.config)) limits[key] = value;
  const boost::json::object out{{"directory", valid_utf8(cache.directory.string())},
                                {"limits", std::move(limits)},
                                {"places", std::move(rows)},
                                {"total", to_json(all)},
                                {"other_files", others}};
  fmt::print("{}\n", boost::json::serialize(out));
}

/// The server is asked, as only it knows what failed; the directory keeps no more than absences.
int run_of_key(const Options& options) {
  const config::Loaded loaded = config::load(options.place.config_file, config::of_process);
  for (const std::string& line : config::error_lines(loaded.report, options.place.config_file))
    complain(kCommand, line);
  if (!loaded.report.errors().empty()) return kCouldNot;
  return print_key_stat(kCommand, options.question, loaded.config, options.json);
}

int run(const Options& options) {
  const bool is_of_key = !options.question.pdb.empty();
  const bool has_server = !options.question.server.empty() || !options.question.headers.empty();
  if (is_of_key ? !options.filter.is_empty() || !options.place.directory.empty() : has_server) {
    complain(kCommand, is_of_key ? "--pdb asks a server: give neither FILTER nor --cache-dir"
                                 : "--server and --header: of no use without --pdb");
    return kWrongUsage;
  }
  if (is_of_key) return run_of_key(options);
  const auto cache = find_cache(kCommand, options.place);
  if (!cache) return kCouldNot;
  Places places;
  Walked walked;
  {
    const Progress progress("counting entries");
    const auto count = [&](const store::FoundEntry& entry, const service::EntryReport* report) {
      places[{std::string(entry.place.kind), entry.place.version, std::string(entry.place.scope)}].add(entry,
                                                                                                       report->state);
    };
    walked = for_each_entry(kCommand, cache->directory, options.filter, Heads::always, count);
  }
  if (walked.status != kDone && places.empty()) return walked.status;
  Totals all;
  for (const auto& [name, totals] : places) all.add(totals);
  if (options.json) print_json(*cache, places, all, walked.others);
  else print_text(places, all, walked.others, *cache);
  return walked.status;
}

constexpr const char* kFooter = R"(ABSENT counts remembered absences, DAMAGED entries whose head is (cache verify
looks further), OLD those of earlier versions, which nothing reads any more. The
limits are those of the configuration file, or the defaults.

With --pdb a running server is asked what it knows of one PDB: whether there is
a symcache, and if not, which sources were asked, what each said, and when it is
asked again. Nothing is fetched or made.

Examples:
  symcached cache stat -c /etc/symcached.yml
  symcached cache stat --cache-dir /var/cache/symcached --json | jq .total.bytes
  symcached cache stat --pdb app.pdb 3249D99D-0C40-4931-8610-F4E4FB0B6936 26

Exit status:
  0  success
  1  the directory is no cache, or something in it could not be looked at; the
     server cannot be asked
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir)";

}  // namespace

void add_cache_stat(CLI::App& cache, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = cache.add_subcommand(
      "stat", "Count entries and bytes by kind, version and scope, print the limits; or tell what is known of a PDB");
  add_cache_filter(*command, options->filter);
  add_cache_place(*command, options->place);
  command
      ->add_option("--pdb", options->question.pdb,
                   "what the server knows of one PDB: GUID and decimal age, or both in one [default: age 1]")
      ->type_name("NAME ID [AGE]")
      ->expected(2, 3);
  command
      ->add_option("--server", options->question.server,
                   "URL of the server, for --pdb [default: what -c says, or http://127.0.0.1:3021]")
      ->type_name("URL");
  command
      ->add_option("--header", options->question.headers,
                   "sent to it, such as \"Authorization: Bearer TOKEN\"; repeatable")
      ->type_name("LINE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", options->json, "print a JSON object");
  command->footer(kFooter);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace symcached::app
