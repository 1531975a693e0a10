#pragma once
/// From an original to the entry of its symcache, by way of a worker.
#include <chrono>
#include <expected>
#include <functional>
#include <string>
#include <variant>

#include "fetch/outcome.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/worker_jobs.hpp"
#include "store/store.hpp"
#include "worker/pool.hpp"

namespace symcached::service {

/// worker::Pool::run, or what a test puts in its place.
using RunJob = std::function<Task<worker::Result>(worker::Job, worker::Sink)>;

struct Published {};
struct NoUse {
  std::string why;
};
struct StillChanging {
  std::string why;
};
struct WorkerDied {
  std::string why;
};
struct NoMeans {
  std::string why;
};  ///< this machine's fault: disk space, processes
using Conversion = std::variant<Published, NoUse, StillChanging, WorkerDied, NoMeans>;

class Converter {
 public:
  /// `store` outlives it.
  Converter(store::Store& store, RunJob run, LimitRules limits, Log log)
      : store_(store), run_(std::move(run)), limits_(limits), log_(std::move(log)) {}

  /// Publishes the symcache of `original` under `key`, if the original is the one wanted.
  /// @param settling  an original refused within that time of its last change is still changing
  Task<Conversion> convert(store::EntryKey key, fetch::Wanted wanted, fetch::Original original,
                           std::chrono::seconds settling) const;

 private:
  Conversion publish(const store::EntryKey& key, const fetch::Wanted& wanted, const std::string& origin,
                     const worker::Done& done, store::EntryWriter writer) const;

  store::Store& store_;
  const RunJob run_;
  const LimitRules limits_;
  const Log log_;
};

}  // namespace symcached::service
