#pragma once
/// What loggers, terminals and mail put before the lines of a trace.
#include <array>
#include <cstddef>
#include <string_view>

namespace symcached::traces {

/// Where the line may begin: at its start, and behind each mark that stands there.
struct Beginnings {
  static constexpr std::size_t kMost = 8;
  std::array<std::size_t, kMost> at{};
  std::size_t count = 1;  ///< the first is always 0
};
Beginnings beginnings_of(std::string_view line);

}  // namespace symcached::traces
