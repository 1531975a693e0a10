#include "fetch/file_fetcher.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"
#include "base/path_text.hpp"
#include "fetch/blocking.hpp"
#include "sources/file_name.hpp"

namespace symcached::fetch {
namespace {

/// A command removes no left-overs, which is all that the number of a run is for.
constexpr std::uint64_t kNoBoot = 0;

/// The part behind the last separator of either kind, checked.
std::expected<std::string, NotFetched> plain_name(std::string_view path) {
  const std::string_view name = last_path_part(path);
  if (const auto good = sources::check_file_name(name); !good)
    return std::unexpected(NotFetched{NotFetched::Kind::malformed, good.error()});
  return std::string(name);
}

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

std::expected<Wanted, NotFetched> wanted_of(const PortablePdbRequest& request) {
  auto name = plain_name(request.name);
  if (!name) return std::unexpected(std::move(name.error()));
  auto key = fmt::format("portable {}/{}", lower_ascii(*name), request.id.guid.hex_upper());
  return Wanted{std::move(*name), request.id, std::move(key), request.checksums};
}

std::expected<Wanted, NotFetched> wanted_of(const ImageRequest& request) {
  auto name = plain_name(request.name);
  if (!name) return std::unexpected(std::move(name.error()));
  auto key = fmt::format("image {}/{}", lower_ascii(*name), pe_code_id(request.id.timestamp, request.id.size));
  return Wanted{std::move(*name), request.id, std::move(key)};
}

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
  fetcher->objects_.emplace(*fetcher->store_, options.objects, options.limits);
  for (const std::string& text : options.symbols) {
    auto source = make_source(text, *fetcher->objects_, fetcher->client_);
    if (!source) return std::unexpected(std::move(source.error()));
    fetcher->sources_.push_back(std::move(*source));
  }
  return fetcher;
}

std::expected<Original, NotFetched> FileFetcher::fetch(std::expected<Wanted, NotFetched> wanted) {
  if (!wanted) return std::unexpected(std::move(wanted.error()));
  return wait_for(fetch_first(sources_, std::move(*wanted)));
}

std::expected<Original, NotFetched> FileFetcher::portable_pdb(const PortablePdbRequest& request) {
  return fetch(wanted_of(request));
}

std::expected<Original, NotFetched> FileFetcher::image(const ImageRequest& request) {
  return fetch(wanted_of(request));
}

}  // namespace symcached::fetch
