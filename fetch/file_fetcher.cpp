#include "fetch/file_fetcher.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "net/run_task.hpp"
#include "sources/symbol_path.hpp"

namespace symcached::fetch {
namespace {

/// A command removes no left-overs, which is all that the number of a run is for.
constexpr std::uint64_t kNoBoot = 0;

using Kind = NotFetched::Kind;

NotFetched::Said said_by(Source& source, const Wanted& wanted, const Outcome& outcome) {
  NotFetched::Said said{.source = source.name(), .locations = source.places(wanted)};
  for (std::string& location : said.locations) location = source.location_of(location);
  const auto say = [&](Kind kind, const std::string& why) {
    said.kind = kind;
    said.why = why;
  };
  if (const auto* refused = std::get_if<Refused>(&outcome)) say(Kind::malformed, refused->why);
  if (const auto* part = std::get_if<NotWhole>(&outcome)) say(Kind::unavailable, part->why);
  if (const auto* later = std::get_if<TransientError>(&outcome)) {
    say(Kind::unavailable, later->why);
    said.status = later->status;
    said.is_forbidden = later->kind == TransientError::Kind::forbidden;
  }
  if (const auto* ours = std::get_if<Exhausted>(&outcome)) say(Kind::unavailable, ours->why);
  return said;
}

NotFetched all_of(std::vector<NotFetched::Said> said, const Wanted& wanted) {
  NotFetched all{Kind::absent, {}};
  for (const NotFetched::Said& one : said) {
    all.kind = std::max(all.kind, one.kind);
    if (one.why.empty()) continue;
    all.why += all.why.empty() ? "" : "; ";
    all.why += one.why;
  }
  if (all.why.empty()) all.why = fmt::format("{} not found in any source", wanted.key);
  all.said = std::move(said);
  return all;
}

/// What a place is asked as, in turn.
std::vector<sources::SourceConfig> configs_of(const std::string& path_or_url, const FetcherOptions& options) {
  std::vector<sources::SourceConfig> all;
  if (options.debuginfod_first) all = sources::parse_debuginfod_urls(path_or_url).sources;
  all.push_back(config_of(path_or_url));
  for (sources::SourceConfig& config : all) {
    auto* const server = std::get_if<sources::HttpPlace>(&config.location);
    if (server == nullptr) continue;
    std::string url = std::move(server->url);
    *server = options.login;
    server->url = std::move(url);
  }
  return all;
}

}  // namespace

Task<std::expected<Original, NotFetched>> fetch_first(std::span<const std::unique_ptr<Source>> sources, Wanted wanted) {
  std::vector<NotFetched::Said> said;
  for (const auto& source : sources) {
    Outcome outcome = co_await source->open(wanted);
    if (auto* original = std::get_if<Original>(&outcome)) co_return std::move(*original);
    said.push_back(said_by(*source, wanted, outcome));
  }
  co_return std::unexpected(all_of(std::move(said), wanted));
}

std::expected<std::unique_ptr<FileFetcher>, std::string> FileFetcher::open(FetcherOptions options) {
  std::unique_ptr<FileFetcher> fetcher(new FileFetcher(options));
  if (options.cache_dir.empty()) {
    fetcher->store_ = store::Store::unnamed();
  } else {
    auto store = store::Store::open(options.cache_dir, kNoBoot);
    if (!store) return std::unexpected(std::move(store.error()));
    fetcher->store_ = std::move(*store);
  }
  fetcher->objects_.emplace(*fetcher->store_, options.objects, options.limits, reader_of_this_process());
  for (const std::string& text : options.symbols)
    for (const sources::SourceConfig& config : configs_of(text, options)) {
      auto source = make_source(config, *fetcher->objects_, fetcher->client_);
      if (!source) return std::unexpected(std::move(source.error()));
      fetcher->sources_.push_back(std::move(*source));
    }
  return fetcher;
}

std::expected<Original, NotFetched> FileFetcher::fetch(sources::FileType type, sources::ModuleIds module) {
  auto request = sources::make_request(type, std::move(module));
  if (!request) return std::unexpected(NotFetched{NotFetched::Kind::malformed, std::move(request.error())});
  return run_task(fetch_first(sources_, wanted_of(std::move(*request))));
}

}  // namespace symcached::fetch
