#include "fetch/file_fetcher.hpp"

#include <fmt/format.h>

#include "net/run_task.hpp"

namespace symcached::fetch {
namespace {

/// A command removes no left-overs, which is all that the number of a run is for.
constexpr std::uint64_t kNoBoot = 0;

/// What the sources said so far.
class Answers {
 public:
  void add(NotFetched::Kind kind, std::string_view why) {
    if (kind > kind_) kind_ = kind;
    if (!why_.empty()) why_ += "; ";
    why_ += why;
  }
  NotFetched all(const Wanted& wanted) && {
    if (why_.empty()) why_ = fmt::format("{} not found in any source", wanted.key);
    return {kind_, std::move(why_)};
  }

 private:
  NotFetched::Kind kind_ = NotFetched::Kind::absent;
  std::string why_;
};

}  // namespace

Task<std::expected<Original, NotFetched>> fetch_first(std::span<const std::unique_ptr<Source>> sources, Wanted wanted) {
  Answers answers;
  for (const auto& source : sources) {
    Outcome outcome = co_await source->open(wanted);
    if (auto* original = std::get_if<Original>(&outcome)) co_return std::move(*original);
    if (const auto* refused = std::get_if<Refused>(&outcome)) answers.add(NotFetched::Kind::malformed, refused->why);
    if (const auto* part = std::get_if<NotWhole>(&outcome)) answers.add(NotFetched::Kind::unavailable, part->why);
    if (const auto* later = std::get_if<TransientError>(&outcome))
      answers.add(NotFetched::Kind::unavailable, later->why);
    if (const auto* ours = std::get_if<Exhausted>(&outcome)) answers.add(NotFetched::Kind::unavailable, ours->why);
  }
  co_return std::unexpected(std::move(answers).all(wanted));
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
  for (const std::string& text : options.symbols) {
    auto source = make_source(text, *fetcher->objects_, fetcher->client_);
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
