#pragma once
/// What is known of one cache, for people who ask why they do not get it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/log.hpp"
#include "store/lookup.hpp"

namespace symcached::service {

/// What one source last said of one file.
struct SourceStatus {
  std::string source;  ///< path or URL, without credentials
  std::string file;    ///< the kind of file it was asked for
  store::Negative said;
};

struct KeyStatus {
  std::string key;
  /// Of the version that is made now, or an older one that is served; nothing: there is one, not yet checked by this
  /// run.
  std::optional<store::Lookup> lookup;
  bool is_outdated = false;
  bool is_under_way = false;  ///< worked on, or queued
  /// Of sources whose answer is remembered, in the order they are asked. Those that were not asked, or gave a file that
  /// could be used, are not among them.
  std::vector<SourceStatus> sources;
};

/// "absent", "unusable", "not supported", "incomplete", "not converted", "timed out", "forbidden", "rate limited" or
/// "unavailable": the words of the log.
std::string_view state_name(const store::Negative& negative);
/// Empty for an absence.
std::string_view why_of(const store::Negative& negative);
/// Logs why there is none: "unusable app.pdb/…: not a PDB". Anybody can ask for names that nobody has, so absences are
/// no lines of an ordinary log.
void tell(const Log& log, std::string_view key, const store::Negative& negative);

}  // namespace symcached::service
