#pragma once
/// What files offer to those who name stacks: found out by a worker, remembered on disk.
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
/// Four letters or dashes: "du--".
std::string text_of(const stacks::Features& features);
std::optional<stacks::Features> parse_features(std::string_view text);

/// Safe to use from any thread.
class FileFeatures {
 public:
  /// `store` outlives it.
  FileFeatures(store::Store& store, RunJob run, LimitRules limits)
      : store_(store), run_(std::move(run)), limits_(limits) {}

  /// Of an original. Asks a worker what nobody has asked yet; nothing if it cannot be told.
  Task<std::optional<stacks::Features>> of(fetch::Original original);
  /// Of the file that a cache with this payload was made from. May wait for the disk.
  std::optional<stacks::Features> of_cache(const store::Sha256& payload) { return find("cache", payload); }
  /// Remembers the same.
  void put_of_cache(const store::Sha256& payload, const stacks::Features& features) { put("cache", payload, features); }

 private:
  std::optional<stacks::Features> find(std::string_view of, const store::Sha256& digest);
  void put(std::string_view of, const store::Sha256& digest, const stacks::Features& features);

  store::Store& store_;
  const RunJob run_;
  const LimitRules limits_;
  std::mutex mutex_;
  std::unordered_map<std::string, stacks::Features> known_;  ///< by name of the entry
};

}  // namespace symcached::service
