#pragma once
/// One key from beginning to end: the sources in their order, the conversion, and what is remembered when there is
/// none.
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "fetch/source.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/converter.hpp"
#include "service/outcome.hpp"
#include "service/verdicts.hpp"
#include "store/store.hpp"

namespace symcached::service {

class Resolver {
 public:
  /// `store` and what `sources` use outlive it.
  Resolver(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources, Converter converter,
           RetryPolicy policy, Log log);

  static store::EntryKey entry_key(const fetch::Wanted& wanted);

  /// Other sources and times from now on. Work under way ends with the old ones.
  void use(std::vector<std::unique_ptr<fetch::Source>> sources, RetryPolicy policy);
  RetryPolicy policy() const { return in_use()->policy; }
  /// Runs on threads that may wait for the disk. Never Pending or Overloaded.
  Task<Outcome> resolve(fetch::Wanted wanted);

 private:
  struct InUse {
    std::vector<std::unique_ptr<fetch::Source>> sources;
    RetryPolicy policy;
  };

  std::shared_ptr<const InUse> in_use() const;
  Task<Outcome> ask_sources(fetch::Wanted wanted, store::Lookup before, std::shared_ptr<const InUse> now);
  Task<bool> any_changed(fetch::Wanted wanted, std::string fingerprint, std::shared_ptr<const InUse> now);
  bool may_identify(const fetch::Source& source, const std::string& key, const RetryPolicy& policy);
  Outcome ready(const fetch::Wanted& wanted);
  Outcome unable(const fetch::Wanted& wanted, const std::string& why);
  Outcome remember(const fetch::Wanted& wanted, const store::Negative& negative, const RetryPolicy& policy);

  store::Store& store_;
  const Converter converter_;
  const Log log_;
  mutable std::mutex mutex_;
  std::shared_ptr<const InUse> in_use_;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> identified_;  ///< by source and key
};

}  // namespace symcached::service
