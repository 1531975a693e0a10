#pragma once
/// What each source last said of each key, so that a key that is tried again does not ask every source again.
#include <optional>
#include <string>
#include <string_view>

#include "fetch/source.hpp"
#include "store/negatives.hpp"

namespace symcached::service {

/// Bounded, in memory. What a source said to other credentials, or under another id, is not found. Safe to use from any
/// thread.
class SourceMemory {
 public:
  /// What tells a question to one source from all others.
  static std::string name_of(const fetch::Source& source, std::string_view key);

  std::optional<store::Negative> find(const fetch::Source& source, std::string_view key) {
    return verdicts_.find(name_of(source, key));
  }
  void put(const fetch::Source& source, std::string_view key, store::Negative verdict) {
    verdicts_.put(name_of(source, key), std::move(verdict));
  }
  void drop(const fetch::Source& source, std::string_view key) { verdicts_.drop(name_of(source, key)); }

 private:
  store::Negatives verdicts_{{}};
};

}  // namespace symcached::service
