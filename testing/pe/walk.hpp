#pragma once
/// Touches everything a PE image offers, so that a sanitizer sees every byte the reader would hand out.
#include <cstdint>

#include "formats/pe/reader.hpp"

namespace symcached::testkit {

inline std::uint64_t sum(Bytes data) {
  std::uint64_t total = 0;
  for (const std::byte b : data) total += static_cast<std::uint64_t>(b);
  return total;
}

/// @return a number that depends on all that was read; false in `whole` if the debug directory could not be read
inline std::uint64_t walk_everything(const pe::Image& image, bool& whole) {
  std::uint64_t total =
      image.header().image_size + image.code_id().size() + static_cast<std::uint64_t>(image.machine());
  for (const pe::DataDirectory& directory : image.directories()) {
    total += image.offset_of(directory.rva).value_or(0);
    if (const auto data = image.at_rva(directory.rva, directory.size, "walk.directory")) total += sum(*data);
  }
  for (const pe::SectionHeader& section : image.sections()) {
    total += sum(as_bytes(image.section_name(section)));
    total += image.offset_of(section.rva).value_or(0) + image.rva_of(section.raw_offset).value_or(0);
  }
  const auto entries = image.debug_entries();
  whole = entries.has_value();
  if (!entries) return total;
  for (const pe::DebugEntryRecord& entry : *entries) {
    const auto data = image.data_of(entry);
    const auto view = image.code_view(entry);
    whole = whole && data && view;
    if (data) total += sum(*data);
    if (view && *view) total += sum(as_bytes((*view)->debug_file)) + (*view)->debug_id().age;
  }
  return total;
}

}  // namespace symcached::testkit
