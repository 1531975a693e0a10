#pragma once
/// Demangling takes longer than all else in an answer, and the same functions are asked for again and again.
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "demangle/demangle.hpp"

namespace symcached::symbolize {

/// Remembers for one thread the names that were asked for last.
class DemangledNames {
 public:
  static constexpr std::size_t kKept = std::size_t{8} << 20;  ///< bytes, from one question to the next

  /// To be called between questions: names that were not asked for in a while go, and the views of them.
  void trim();

  /// The name as it is shown: a view of `name` itself if it is not mangled, else of what is kept here.
  std::string_view of(std::string_view name, demangle::Detail detail);

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Names = std::unordered_map<std::string, std::string, Hash, std::equal_to<>>;
  /// Two of them: what is asked for moves from the old one to the young one, and the rest goes with the old one.
  struct Generation {
    std::array<Names, demangle::kDetails> names;
    std::size_t bytes = 0;
  };

  Generation young_, old_;
};

}  // namespace symcached::symbolize
