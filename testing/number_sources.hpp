#pragma once
/// Where tests that make things up take their numbers from: a seed, or the bytes of a fuzzer.
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace symcached::testkit {

/// Numbers below a bound, from a seed. The same on every machine.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_() % bound); }

 private:
  std::mt19937_64 engine_;
};

/// Numbers from the input, 0 behind its end.
class InputSource {
 public:
  explicit InputSource(std::span<const std::uint8_t> data) : data_(data) {}
  std::uint32_t below(std::uint32_t bound) {
    std::uint32_t value = 0;
    for (std::uint64_t reach = 1; reach < bound && at_ < data_.size(); reach *= 256) value = value * 256 + data_[at_++];
    return value % bound;
  }

 private:
  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
};

}  // namespace symcached::testkit
