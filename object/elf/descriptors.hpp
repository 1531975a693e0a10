#pragma once
/// The function descriptors of 64-bit POWER's first ABI: symbols of functions name a record in .opd, whose first word
/// is the address of the code. docs/formats/elf.md, "Symbols".
#include <cstdint>
#include <optional>
#include <vector>

#include "formats/elf/reader.hpp"

namespace symcached::object {

class FunctionDescriptors {
 public:
  FunctionDescriptors() = default;  ///< knows none
  /// Of a file of another kind, or without the bytes of .opd (a debug file), it knows none.
  /// Cost: one pass over the relocations that fill .opd.
  explicit FunctionDescriptors(const elf::File& file);

  /// True: symbols in this section stand for code elsewhere.
  bool is_in(std::uint32_t section) const { return section_ != nullptr && section == section_->index; }
  /// The code that a descriptor leads to.
  /// @param value  as a symbol has it: an address; in a relocatable file an offset in .opd
  std::optional<std::uint64_t> code_of(std::uint64_t value) const;

 private:
  struct Filled {
    std::uint64_t place = 0;  ///< offset in .opd
    std::uint64_t code = 0;
  };
  void read_relocations(const elf::File& file, const elf::Section& relocations);

  const elf::Section* section_ = nullptr;  ///< null: none
  std::uint64_t start_ = 0;                ///< what values count from
  Bytes data_;
  elf::Layout layout_;
  std::vector<Filled> filled_;  ///< by the linker or the loader; by rising place
};

}  // namespace symcached::object
