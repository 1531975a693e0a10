#pragma once
/// What each source last said of each key, so that a key that is tried again does not ask every source again; and of
/// each place, for files of several types may have the same.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fetch/source.hpp"
#include "store/negatives.hpp"

namespace symcached::service {

/// " SHA256:ab…" for each; empty if there is none.
std::string checksum_text(const std::vector<sources::Checksum>& checksums);

/// Bounded, in memory. What a source said to other credentials, or under another id, is not found. Safe to use from any
/// thread.
class SourceMemory {
 public:
  /// What tells a question to one source from all others.
  static std::string name_of(const fetch::Source& source, std::string_view key);
  /// The same of a file: what is no use to those who state one checksum may be what others want.
  static std::string name_of(const fetch::Source& source, const fetch::Wanted& wanted);

  std::optional<store::Negative> find(const fetch::Source& source, const fetch::Wanted& wanted) {
    return verdicts_.find(name_of(source, wanted));
  }
  /// What counts now of every place where a server would look for the file, whatever file it was asked for there; none:
  /// there are others, or none. Cost: as Source::places().
  std::optional<store::Negative> find_by_places(fetch::Source& source, const fetch::Wanted& wanted);
  void put(const fetch::Source& source, const fetch::Wanted& wanted, store::Negative verdict) {
    verdicts_.put(name_of(source, wanted), std::move(verdict));
  }
  /// Of one that was asked for the file; not remembered if it speaks of the type of file alone.
  void put_place(const fetch::Source& source, const std::string& place, const fetch::Wanted& wanted,
                 const store::Negative& verdict);
  void drop(fetch::Source& source, const fetch::Wanted& wanted);

 private:
  store::Negatives verdicts_{{}}, of_places_{{}};
};

}  // namespace symcached::service
