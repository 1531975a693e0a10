#pragma once
/// One key from beginning to end: the sources in their order, the conversion, and what is remembered when there is
/// none.
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "fetch/source.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/converter.hpp"
#include "service/outcome.hpp"
#include "service/retry_policy.hpp"
#include "service/source_memory.hpp"
#include "service/verdicts.hpp"
#include "store/store.hpp"

namespace symcached::service {

/// Sources in the order to ask, and how long what they say counts.
struct Sources {
  std::vector<std::unique_ptr<fetch::Source>> all;
  RetryPolicy policy;
};

class Resolver {
 public:
  /// `store` and what `sources` use outlive it.
  Resolver(store::Store& store, Sources sources, Converter converter, Log log);

  static store::EntryKey entry_key(const fetch::Wanted& wanted);

  /// Other sources from now on. Work under way ends with the old ones.
  void use(Sources sources);
  /// The outcome that an entry stands for with the sources there are now; nothing if they are to be asked.
  std::optional<Outcome> known(const store::Lookup& lookup) const;
  /// Runs on threads that may wait for the disk. Never Pending or Overloaded.
  Task<Outcome> resolve(fetch::Wanted wanted);

 private:
  struct InUse {
    Sources sources;
    std::string asked;  ///< names them all, for absences on disk
  };
  using Answer = std::variant<Outcome, store::Negative>;  ///< an outcome is the end, whatever other sources have

  static std::shared_ptr<const InUse> in_use(Sources sources);
  std::shared_ptr<const InUse> now_in_use() const;
  std::optional<Outcome> known(const store::Lookup& lookup, const InUse& now) const;
  Task<Outcome> ask_all(fetch::Wanted wanted, std::shared_ptr<const InUse> now);
  Task<Answer> ask(fetch::Source& source, fetch::Wanted wanted, const RetryPolicy& policy);
  Task<Answer> use_original(fetch::Source& source, fetch::Wanted wanted, fetch::Original original,
                            const RetryPolicy& policy);
  Task<bool> any_changed(fetch::Wanted wanted, std::shared_ptr<const InUse> now);
  bool may_identify(const fetch::Source& source, const std::string& key, const RetryPolicy& policy);
  Outcome ready(const fetch::Wanted& wanted, const InUse& now);
  Outcome unable(const fetch::Wanted& wanted, const std::string& why);
  Outcome remember(const fetch::Wanted& wanted, const store::Negative& negative);

  store::Store& store_;
  const Converter converter_;
  const Log log_;
  SourceMemory memory_;
  mutable std::mutex mutex_;
  std::shared_ptr<const InUse> in_use_;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> identified_;  ///< by source and key
};

}  // namespace symcached::service
