#pragma once
/// A program in memory, as far as its file fills it: what Go's tables refer to by address.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "formats/go/table.hpp"

namespace symcached::object {

/// A section or segment with bytes in the file.
struct GoRegion {
  std::uint64_t address = 0;
  Bytes bytes;
  bool is_code = false;
  bool is_writable = false;  ///< by the program or its loader
};

/// Views into the file, but for what had to be relocated.
class GoImage {
 public:
  go::Container container;
  std::uint64_t base = 0;
  std::uint64_t entry_point = 0;  ///< an address; 0 = not known
  bool chained_pointers = false;  ///< Mach-O: pointers may hold links of the loader's in their high bits

  void add(const GoRegion& region);
  /// Sorts; regions that begin inside another one are left out.
  void finish();
  std::vector<GoRegion>& regions() { return regions_; }
  const std::vector<GoRegion>& regions() const { return regions_; }
  /// The one that holds the address; nullptr = none. Cost: log n.
  const GoRegion* region_of(std::uint64_t address) const;

  /// From the address to the end of its region; empty if no region holds it.
  Bytes at(std::uint64_t address) const;
  std::optional<std::uint64_t> word(std::uint64_t address) const;
  std::optional<std::uint64_t> pointer(std::uint64_t address) const;
  std::uint64_t as_pointer(std::uint64_t word) const;
  bool is_code(std::uint64_t address) const;

  /// Lets the region have bytes that can be changed.
  std::byte* make_own(GoRegion& region);

 private:
  std::vector<GoRegion> regions_;
  std::vector<Buffer> owned_;
};

}  // namespace symcached::object
