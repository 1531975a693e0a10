#pragma once
/// Where one source is asked for a file, and in which order.
#include <array>
#include <atomic>
#include <vector>

#include "sources/filters.hpp"
#include "sources/layouts.hpp"

namespace symcached::fetch {

/// Remembers for each type the spelling that worked last: stores are spelled in one way, as a rule. Safe to use from
/// any thread.
class PlaceOrder {
 public:
  explicit PlaceOrder(const sources::SourceConfig& config);

  /// Empty if the source's filters leave the file out, or its layout has no place for it.
  std::vector<sources::Place> places(const sources::FileRequest& file, bool two_tiers) const;
  bool passes(const sources::FileRequest& file) const { return sources::passes(filters_, file); }
  bool any_worked() const;
  /// Whether file.ptr may lie in place of such a file: in symstores, or where it is not known what the store is.
  bool has_pointers(sources::FileType type) const;
  void worked(sources::FileType type, const sources::Place& place);

 private:
  const sources::LayoutRules rules_;
  const sources::Filters filters_;
  /// By type: the spelling and one more; 0 = none yet.
  std::array<std::atomic<std::uint32_t>, sources::kFileTypes.size()> worked_{};
};

}  // namespace symcached::fetch
