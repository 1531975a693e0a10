#pragma once
/// Symbol tables and relocations of an ELF file.
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "formats/elf/reader.hpp"
#include "formats/elf/records.hpp"

namespace symcached::elf {

/// One .symtab or .dynsym with its strings; views into the file.
class SymbolTable {
 public:
  SymbolTable() = default;
  /// @param section  of type symtab or dynsym; a stripped one (nobits) gives no symbols
  static Read<SymbolTable> open(const File& file, const Section& section);
  std::size_t size() const { return count_; }
  /// @param index  below size(). A name that the strings do not hold is empty.
  Symbol operator[](std::size_t index) const;
  /// The same without looking for the name's end.
  Symbol nameless(std::size_t index) const;

 private:
  std::uint32_t name_of(std::size_t index) const {
    return layout_.load<std::uint32_t>(records_.data() + index * stride_);
  }

  Bytes records_, strings_, extended_;
  Layout layout_;
  std::size_t count_ = 0, stride_ = 0;
};

/// Cuts "@VERSION", "@@VERSION" and the like.
std::string_view without_version(std::string_view name);

/// True for names of code: functions, and labels without a type unless they only mark what kind of bytes follow
/// ($a, $d, $t, $x, with anything behind a dot) or are the assembler's own (.L…).
/// @param in_code  the symbol's section holds code
bool names_code(const Symbol& symbol, Machine machine, bool in_code);

/// The records of one relocation section.
class RelocationTable {
 public:
  RelocationTable() = default;
  static Read<RelocationTable> open(const File& file, const Section& section);
  std::size_t size() const { return count_; }
  bool has_addends() const { return has_addends_; }
  Relocation operator[](std::size_t index) const;

 private:
  Bytes records_;
  Layout layout_;
  bool has_addends_ = true;
  std::size_t count_ = 0;
};

}  // namespace symcached::elf
