#pragma once
/// What files offer to those who name stacks: found out by a worker, remembered in memory.
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fetch/outcome.hpp"
#include "net/task.hpp"
#include "object/common/file_info.hpp"
#include "service/converter.hpp"
#include "stacks/candidates.hpp"
#include "store/store.hpp"

namespace symcached::service {

stacks::Features features_of(const object::FileInfo& info);
/// "cache 3a7b…"
std::string name_of(std::string_view what, const store::Sha256& digest);
/// Four letters or dashes: "du--".
std::string text_of(const stacks::Features& features);
std::optional<stacks::Features> parse_features(std::string_view text);

/// Bounded. Safe to use from any thread.
class FileFeatures {
 public:
  FileFeatures(RunJob run, LimitRules limits) : run_(std::move(run)), limits_(limits) {}

  /// Of an original. Asks a worker what nobody has asked yet; nothing if it cannot be told.
  Task<std::optional<stacks::Features>> of(fetch::Original original);
  /// Of the file that a cache with this payload was made from; nothing if that was not by this run.
  std::optional<stacks::Features> of_cache(const store::Sha256& payload) { return find(name_of("cache", payload)); }
  /// Remembers the same.
  void put_of_cache(const store::Sha256& payload, const stacks::Features& features) {
    put(name_of("cache", payload), features);
  }

 private:
  std::optional<stacks::Features> find(const std::string& name);
  void put(std::string name, const stacks::Features& features);

  const RunJob run_;
  const LimitRules limits_;
  std::mutex mutex_;
  std::unordered_map<std::string, stacks::Features> known_;
};

}  // namespace symcached::service
