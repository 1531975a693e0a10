#pragma once
/// Paths that may stand in front of all others, for servers behind a proxy. Pure.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::api {

class Prefixes {
 public:
  Prefixes() = default;
  /// @param paths  as "/team/symbols"; one that is no path counts for nothing
  explicit Prefixes(const std::vector<std::string>& paths);

  /// The segments of a target's path behind the first of the prefixes that it begins with in any case (debuggers write
  /// URLs in any), or all of them. Nothing if it has no path.
  std::optional<std::vector<std::string>> segments_behind(std::string_view target) const;
  /// For links; empty if there is none.
  const std::string& first() const { return first_; }

 private:
  std::string first_;
  std::vector<std::vector<std::string>> all_;  ///< each in its segments
};

}  // namespace symcached::api
