#pragma once
/// Bytes by RVA for those who ask often: a binary search instead of a pass over the sections.
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/pe/reader.hpp"

namespace symcached::pe {

/// Of sections that overlap, which no loader accepts, the one that starts last counts. Views into the file.
class RvaIndex {
 public:
  explicit RvaIndex(const Image& image);

  /// From `rva` to the end of what its section has in the file; empty outside of every section.
  Bytes from(std::uint32_t rva) const;
  Read<Bytes> at(std::uint32_t rva, std::uint64_t size, std::string_view field) const;
  template <WireRecord T>
  Read<T> record_at(std::uint32_t rva, std::string_view field) const {
    SC_TRY(const Bytes bytes, at(rva, sizeof(T), field));
    return read_at<T>(bytes, 0, field);
  }

 private:
  struct Run {
    std::uint32_t rva;
    Bytes bytes;
  };
  std::vector<Run> runs_;  ///< sorted by rva
};

}  // namespace symcached::pe
