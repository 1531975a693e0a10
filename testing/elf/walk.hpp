#pragma once
/// Touches everything an ELF file offers, so that a sanitizer sees every byte the reader would hand out.
#include <algorithm>
#include <cstdint>

#include "formats/elf/notes.hpp"
#include "formats/elf/reader.hpp"
#include "formats/elf/symbols.hpp"

namespace symcached::testkit {

inline std::uint64_t total_of(Bytes data) {
  std::uint64_t total = 0;
  for (const std::byte b : data) total += static_cast<std::uint64_t>(b);
  return total;
}

inline std::uint64_t walk_section(const elf::File& file, const elf::Section& section) {
  std::uint64_t total = total_of(as_bytes(section.name)) + section.address;
  const auto data = file.contents(section);
  if (!data) return total;
  total += total_of(*data);
  if (const auto packing = file.packing(section)) total += total_of(packing->data) + packing->size;
  if (section.type == elf::SectionType::note) {
    elf::NoteReader notes(*data, file.layout(), section.alignment);
    for (elf::Note note; notes.next(note);) total += total_of(as_bytes(note.owner)) + total_of(note.data);
  }
  if (section.type == elf::SectionType::symtab || section.type == elf::SectionType::dynsym)
    if (const auto table = elf::SymbolTable::open(file, section))
      for (std::size_t i = 0; i < table->size(); ++i) {
        const elf::Symbol symbol = (*table)[i];
        total += total_of(as_bytes(elf::without_version(symbol.name))) + symbol.value + symbol.section;
        total += elf::names_code(symbol, file.machine(), true) ? 1 : 0;
      }
  if (section.type == elf::SectionType::rela || section.type == elf::SectionType::rel)
    if (const auto table = elf::RelocationTable::open(file, section))
      for (std::size_t i = 0; i < table->size(); ++i) total += (*table)[i].offset + (*table)[i].symbol;
  return total;
}

/// @return a number that depends on all that was read
/// Sections may lie on top of each other, so only the first ones are walked.
inline std::uint64_t walk_everything(const elf::File& file) {
  std::uint64_t total = file.image_base() + file.code_id().size() + (file.debug_id() ? 1 : 0);
  for (const elf::AddressRange& range : file.code_ranges()) total += range.end - range.start;
  if (const auto link = file.debug_link()) total += total_of(as_bytes(link->file)) + link->crc32;
  if (const auto link = file.alt_link()) total += total_of(as_bytes(link->file)) + total_of(link->build_id);
  constexpr std::size_t kWalked = 64;
  for (const elf::Section& section : file.sections().first(std::min(kWalked, file.sections().size())))
    total += walk_section(file, section);
  return total;
}

}  // namespace symcached::testkit
