#pragma once
/// How much may come out of compressed bytes: one place for wrappers, sections and files inside files.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace symcached {

/// Honest debug files come out up to ten times as large, their emptiest sections up to a hundred times.
struct InflateLimits {
  std::uint64_t total = std::uint64_t{8} << 30;  ///< plain bytes of one file, whatever its size
  std::uint64_t ratio = 200;                     ///< plain bytes to those of the file, beyond `free`
  std::uint64_t free = std::uint64_t{64} << 20;  ///< plain bytes that may come out of however few

  /// `bytes` may come out of a file of any size, and no more.
  static constexpr InflateLimits exactly(std::uint64_t bytes) { return {.total = bytes, .ratio = 1, .free = bytes}; }

  /// Plain bytes that may come out of all that is compressed in a file.
  /// @param file_bytes  its size
  constexpr std::uint64_t allowed(std::uint64_t file_bytes) const {
    const std::uint64_t believable = file_bytes > total / ratio ? total : file_bytes * ratio;
    return std::min(total, std::max(believable, free));
  }
};

/// Counts what comes out of one file. Ask before memory is taken: the sizes that a file states are hostile.
class InflateBudget {
 public:
  InflateBudget(const InflateLimits& limits, std::uint64_t file_bytes)
      : allowed_(limits.allowed(file_bytes)), left_(allowed_) {}

  std::uint64_t left() const { return left_; }
  /// @param plain  bytes, as stated
  /// @param field  names what is unpacked: "elf.debug_section"
  Read<void> take(std::uint64_t plain, std::string_view field, std::uint64_t offset) {
    if (plain > left_) return unpacks_too_large(field, offset, plain, allowed_);
    left_ -= plain;
    return {};
  }

 private:
  std::uint64_t allowed_, left_;
};

}  // namespace symcached
