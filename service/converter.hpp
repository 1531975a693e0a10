#pragma once
/// From an original to the entry of its cache, by way of a worker.
#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fetch/outcome.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/worker_jobs.hpp"
#include "store/store.hpp"
#include "worker/pool.hpp"

namespace symcached::service {

/// worker::Pool::run, or what a test puts in its place.
using RunJob = std::function<Task<worker::Result>(worker::Job, worker::Sink)>;

struct Published {
  std::shared_ptr<const store::Entry> entry;
  symbolize::Contents contents;
};
/// Made, and thrown away: the cache there is knows as much.
struct NotBetter {
  symbolize::Contents contents;
};
struct NoUse {
  std::string why;
  bool is_bare = false;  ///< as of store::Malformed
};
/// A PDB of native code for a module of .NET.
struct NotRead {
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
using Conversion = std::variant<Published, NotBetter, NoUse, NotRead, StillChanging, WorkerDied, NoMeans>;

/// What is to be made of an original.
struct Order {
  store::EntryKey key;
  fetch::Wanted wanted;  ///< the file that the original should be
  symbolize::CacheKind kind{};
  std::optional<symbolize::Contents> better_than = {};  ///< what the cache there is knows; nothing: there is none
  std::chrono::seconds settling{0};  ///< an original refused within that time of its last change is still changing
};

store::Quality quality_of(symbolize::Contents contents);
symbolize::Contents contents_of(store::Quality quality);

class FileFeatures;
struct FurtherFile;

class Converter {
 public:
  /// `store` and `features`, which is told what originals offer, outlive it.
  Converter(store::Store& store, FileFeatures& features, RunJob run, LimitRules limits, Log log)
      : store_(store), features_(features), run_(std::move(run)), limits_(limits), log_(std::move(log)) {}

  /// Publishes the cache of `original`, if the original is the one wanted and the cache better than what there is.
  /// @param further  files that it is converted with
  Task<Conversion> convert(Order order, fetch::Original original, std::vector<FurtherFile> further) const;

 private:
  struct Made {
    std::string origin;
    store::Sha256 source{};  ///< what the cache is made from
    std::uint64_t original_size = 0;
    std::chrono::steady_clock::time_point start;
    DerivedNote note;
  };
  Conversion publish(const Order& order, const Made& made, store::EntryWriter writer) const;

  store::Store& store_;
  FileFeatures& features_;
  const RunJob run_;
  const LimitRules limits_;
  const Log log_;
};

}  // namespace symcached::service
