#pragma once
/// What the sources said of a key when none had a usable original, and what is to be remembered of it.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "service/retry_policy.hpp"
#include "store/store.hpp"

namespace symcached::service {

/// What each source had when it failed, in one line: their identities (fetch/identity.hpp) in order, with '|' between
/// them. Sources for which the line has no room are left out.
class Fingerprint {
 public:
  explicit Fingerprint(std::size_t sources) : identities_(sources) {}
  void set(std::size_t source, std::string identity) { identities_.at(source) = std::move(identity); }
  std::string text() const;

  /// Whether `identity` is not what the source had when `text` was made; an empty one tells nothing.
  static bool differs(std::string_view text, std::size_t source, std::string_view identity);

 private:
  std::vector<std::string> identities_;
};

class Verdicts {
 public:
  explicit Verdicts(std::size_t sources) : fingerprint_(sources) {}

  void refused(std::size_t source, std::string why, std::string identity);
  void not_whole(std::size_t source, std::string why, std::string identity);
  void died(std::size_t source, std::string why, std::string identity);
  void unavailable(std::string why) { add(unavailable_, std::move(why)); }

  /// @param before  what was remembered until now: failures in a row are counted
  store::Negative negative(const store::Lookup& before, const RetryPolicy& policy) const;

 private:
  static void add(std::string& all, std::string why);

  Fingerprint fingerprint_;
  std::string refused_, not_whole_, died_, unavailable_;  ///< with "; " between what several sources said
};

/// The fingerprint of a negative that counts only while the originals stay what they were; empty for others.
std::string_view fingerprint_of(const store::Lookup& lookup);

}  // namespace symcached::service
