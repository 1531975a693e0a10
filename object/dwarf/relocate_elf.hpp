#pragma once
/// Fills in what a linker would have: the places in an object file's debug sections that hold addresses and offsets.
#include <cstdint>
#include <span>
#include <vector>

#include "formats/elf/reader.hpp"

namespace symcached::object {

/// Knows the absolute relocations of x86, x86-64, ARM, AArch64, RISC-V, POWER and z/Architecture; others leave the
/// bytes as they are.
class ElfRelocator {
 public:
  explicit ElfRelocator(const elf::File& file);

  /// Says that offset 0 of `section` stands at `start` of a joined section; code stands where elf::File placed it.
  void place(const elf::Section& section, std::uint64_t start) { starts_[section.index] = start; }
  /// Says where the bytes of `section` are to be changed.
  void target(const elf::Section& section, std::span<std::byte> bytes) { targets_[section.index] = bytes; }

  /// Cost: one pass over the relocations of the targets.
  Read<void> apply();

 private:
  Read<void> apply(const elf::Section& relocations, std::span<std::byte> bytes);

  const elf::File& file_;
  std::vector<std::uint64_t> starts_;          ///< by section
  std::vector<std::span<std::byte>> targets_;  ///< by section; empty = not to be changed
};

}  // namespace symcached::object
