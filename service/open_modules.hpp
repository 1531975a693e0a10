#pragma once
/// Caches kept open in memory for lookups, the least recently used dropped first.
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "store/lookup.hpp"
#include "symbolize/module.hpp"

namespace symcached::service {

using OpenModule = std::shared_ptr<const symbolize::Module>;

struct OpenModuleStats {
  std::size_t count = 0;  ///< open now, or being opened
  std::uint64_t bytes = 0;
  std::uint64_t hits = 0, misses = 0;  ///< of open(): what was open already, and what was read
};

/// Holds copies of the payloads, not mappings: nobody who cuts, changes or deletes a file of the cache directory hurts
/// who looks something up. Safe to use from any thread.
class OpenModules {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// After that time an entry is looked up in the store again, so that a better one takes its place, and its file
  /// counts as used.
  static constexpr std::chrono::seconds kLookAgain{60};

  /// @param budget  bytes of all payloads and what keeping them takes; a larger one is opened and not kept
  explicit OpenModules(
      std::uint64_t budget, Clock now = [] { return std::chrono::steady_clock::now(); })
      : budget_(budget), now_(std::move(now)) {}

  /// The module that is open for `key`; null if there is none, or if the store is to be asked first.
  /// Cost: about 100 ns.
  OpenModule find(const store::EntryKey& key);
  /// The module of an entry that the store found for `key`: the one that is open already, if it is of the same bytes.
  /// However many threads ask, it is read once. @return the module, or a sentence
  std::expected<OpenModule, std::string> open(const store::EntryKey& key, const store::Entry& entry);

  std::uint64_t bytes() const;
  std::size_t size() const;
  OpenModuleStats stats() const;

 private:
  struct Node {
    std::string name;
    store::Sha256 payload{};
    OpenModule module;  ///< null: being opened, or that failed
    std::chrono::steady_clock::time_point look_again{};
    std::mutex opening = {};
  };
  using Nodes = std::list<std::shared_ptr<Node>>;  ///< the most recently used first

  static std::string name_of(const store::EntryKey& key);
  std::shared_ptr<Node> node_of(std::string name);
  OpenModule keep(const std::shared_ptr<Node>& node, OpenModule module, const store::Sha256& payload);
  void shrink(Nodes& dropped);

  const std::uint64_t budget_;
  const Clock now_;
  mutable std::mutex mutex_;
  Nodes nodes_;
  std::unordered_map<std::string_view, Nodes::iterator> by_name_;
  std::uint64_t bytes_ = 0, hits_ = 0, misses_ = 0;
};

}  // namespace symcached::service
