#include "base/number_map.hpp"

#include <random>

namespace symcached {

std::uint64_t NumberMap::process_factor() {
  static const std::uint64_t factor = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random() | 1;
  }();
  return factor;
}

}  // namespace symcached
