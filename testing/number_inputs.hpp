#pragma once
/// Inputs for fuzz targets that take their bytes for numbers: none, and ever longer ones of a fixed generator.
#include <array>
#include <string_view>
#include <vector>

#include "testing/number_sources.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::testkit {

/// @param smallest  bytes; each input is 4 times as large as the one before
inline std::vector<StoredInput> number_inputs(std::size_t smallest) {
  static constexpr std::array<std::string_view, 4> kNames = {"short.bin", "some.bin", "more.bin", "long.bin"};
  std::vector<StoredInput> inputs{{"none.bin", {}}};
  for (std::uint32_t seed = 0; seed < kNames.size(); ++seed) {
    RandomSource random(seed);
    StoredInput input{kNames[seed], std::vector<std::byte>(smallest << 2 * seed)};
    for (std::byte& b : input.bytes) b = static_cast<std::byte>(random.below(256));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace symcached::testkit
