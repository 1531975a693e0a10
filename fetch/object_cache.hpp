#pragma once
/// Originals that do not lie in a folder as they are: downloaded, or unpacked from a cabinet.
#include <optional>
#include <string>

#include "fetch/outcome.hpp"
#include "fetch/sniff.hpp"
#include "fetch/verify.hpp"
#include "store/store.hpp"

namespace symcached::fetch {

class ObjectCache {
 public:
  ObjectCache(store::Store& store, store::CacheKind kind, Limits limits)
      : store_(store), kind_(kind), limits_(limits) {}

  /// What is kept, unless verify() says that it is another file than wanted.
  std::optional<Original> find(const std::string& key, const Wanted& wanted, const std::string& origin);
  std::expected<store::EntryWriter, std::string> create(const std::string& key);
  /// What was written, judged by its first bytes and verify(): published as it is, unpacked and published, or refused.
  Outcome keep(const std::string& key, const Wanted& wanted, store::EntryWriter written, const std::string& origin);
  /// Unpacks the cabinet in `file` from `offset` on into an entry.
  Outcome keep_unpacked(const std::string& key, const Wanted& wanted, int file, std::uint64_t offset,
                        const std::string& origin);
  void forget(const std::string& key) { store_.remove(entry_key(key)); }
  const Limits& limits() const { return limits_; }

 private:
  store::EntryKey entry_key(const std::string& key) const { return {kind_, "global", key}; }
  std::optional<Original> look_up(const std::string& key, const std::string& origin);
  Outcome publish(const std::string& key, const Wanted& wanted, store::EntryWriter written, const std::string& origin);

  store::Store& store_;
  const store::CacheKind kind_;
  const Limits limits_;
};

/// The outcome for content of another kind than wanted.
Outcome refuse(Content content, const Wanted& wanted, const std::string& origin);
/// The first bytes of `file` from `offset` on.
Content sniff_file(int file, std::uint64_t offset);

}  // namespace symcached::fetch
