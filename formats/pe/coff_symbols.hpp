#pragma once
/// The COFF symbol table of an image or an object file, in place.
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "formats/pe/coff_records.hpp"
#include "formats/pe/reader.hpp"
#include "formats/pe/string_table.hpp"

namespace symcached::pe {

/// One symbol, both layouts made one. A view: lives as long as the file.
struct CoffSymbol {
  std::string_view raw_name;    ///< the eight bytes; CoffSymbols::name resolves them
  std::uint32_t value = 0;      ///< offset in the section
  std::int32_t section = 0;     ///< 1-based; 0 = undefined, negative = none
  std::uint32_t code_size = 0;  ///< of a function whose auxiliary record states it; else 0
  std::uint16_t type = 0;
  StorageClass storage_class = StorageClass::external;
  std::uint8_t aux_count = 0;

  bool is_function() const { return (type >> 4 & 3) == kTypeFunction; }
};

class CoffSymbols {
 public:
  CoffSymbols() = default;  ///< none
  /// @param big  records of 20 bytes
  static Read<CoffSymbols> open(Bytes file, std::uint64_t offset, std::uint32_t count, bool big);

  /// Records, auxiliary ones counted.
  std::uint32_t count() const { return count_; }
  /// The symbol at `index`, which is to be no auxiliary record: the next is at index + 1 + aux_count.
  Read<CoffSymbol> at(std::uint32_t index) const;
  /// @return empty if the string table does not hold it
  std::string_view name(const CoffSymbol& symbol) const;
  const StringTable& strings() const { return strings_; }
  /// What all names together may come to: sharing in the string table is allowed, but not without end.
  std::uint64_t most_text() const { return kNameShare * (std::uint64_t{records_.size()} + strings_.size()); }

 private:
  static constexpr std::uint64_t kNameShare = 8;
  Bytes records_;
  std::uint32_t count_ = 0;
  bool big_ = false;
  StringTable strings_;
};

/// Those of an image; none if it has no table.
Read<CoffSymbols> symbols_of(const Image& image);

}  // namespace symcached::pe
