#pragma once
/// One cache from beginning to end: what there is, the sources in their order, the conversion, and what is remembered
/// when there is none.
#include <optional>
#include <string>
#include <variant>

#include "net/log.hpp"
#include "net/task.hpp"
#include "service/cache_query.hpp"
#include "service/cache_versions.hpp"
#include "service/converter.hpp"
#include "service/hidden_names.hpp"
#include "service/originals.hpp"
#include "service/outcome.hpp"
#include "service/verdicts.hpp"
#include "store/store.hpp"

namespace symcached::service {

/// What the store has for a query.
struct Found {
  store::Lookup lookup;
  bool outdated = false;  ///< a hit of an older version, which is served while a new one is made
};

class Resolver {
 public:
  /// `store` and `originals` outlive it.
  Resolver(store::Store& store, Originals& originals, Converter converter, HiddenNames hidden_names,
           CacheVersions versions, Log log)
      : store_(store),
        originals_(originals),
        converter_(std::move(converter)),
        hidden_names_(std::move(hidden_names)),
        versions_(versions),
        log_(std::move(log)) {}

  /// What there is in the request's scope and in that of all, of the current version or one that is still served.
  /// @param may_read  false: nothing if payloads would have to be read; for threads that must not wait
  std::optional<Found> look(const CacheRequest& request, bool may_read) const;
  /// The outcome that it stands for with the sources there are now; nothing if they are to be asked.
  std::optional<Outcome> known(Found found, const CacheRequest& request) const;
  /// The cache, found or made. Runs on threads that may wait for the disk. Never Pending or Overloaded.
  Task<Outcome> resolve(CacheRequest request);
  /// Looks for something better than what there is.
  Task<void> upgrade(CacheRequest request);
  /// What negatives of the request are remembered under.
  store::EntryKey negative_key(const CacheRequest& request) const;

 private:
  /// An outcome is the end, whatever other sources have.
  using Answer = std::variant<Outcome, Published, NotBetter, fetch::SaysLess, store::Negative>;

  store::EntryKey entry_key(const CacheRequest& request, const std::string& scope) const;
  SharedSources sources_of(const CacheRequest& request) const;
  std::optional<Outcome> known(const Found& found, const SourceSet& now) const;
  Task<Outcome> make(CacheRequest request, SharedSources now, std::optional<symbolize::Contents> have);
  Task<Outcome> ask_all(CacheRequest request, SharedSources now, std::optional<symbolize::Contents> have);
  Task<Answer> ask(fetch::Source& source, Order order, SharedSources now);
  Task<Answer> use_original(fetch::Source& source, Order order, fetch::Original original, SharedSources now);
  Task<Conversion> convert(Order order, fetch::Original original, SharedSources now);
  Outcome unable(const std::string& key, const std::string& why);
  Outcome remember(const CacheRequest& request, const store::Negative& negative);

  store::Store& store_;
  Originals& originals_;
  const Converter converter_;
  HiddenNames hidden_names_;
  const CacheVersions versions_;
  const Log log_;
};

}  // namespace symcached::service
