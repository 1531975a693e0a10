#pragma once
/// Touches everything a Mach-O file offers, so that a sanitizer sees every byte the reader would hand out.
#include <cstdint>

#include "formats/macho/debug_map.hpp"
#include "formats/macho/reader.hpp"

namespace symcached::testkit {

/// @return a number that depends on all that was read; false in `whole` if a part could not be read
inline std::uint64_t walk_everything(const macho::File& file, bool& whole) {
  std::uint64_t total = file.image_base() + file.library_name().size() + file.segments().size();
  const auto add = [&](std::string_view text) {
    for (const char c : text) total += static_cast<unsigned char>(c);
  };
  whole = true;
  const auto note = [&](const auto& read) {
    whole = whole && read.has_value();
    return read.has_value();
  };
  for (const macho::SectionInfo& section : file.sections()) {
    add(section.name), add(section.segment);
    if (const auto data = file.data_of(section); note(data)) add(as_text(*data));
    if (const auto all = file.relocations(section); note(all)) total += all->size();
  }
  if (const auto starts = file.function_starts(); note(starts))
    for (const std::uint64_t start : *starts) total += start;
  const auto symbols = file.symbols();
  if (!note(symbols)) return total;
  for (std::uint32_t i = 0; i < symbols->size(); ++i) add(symbols->at(i).name);
  if (const auto stubs = file.stubs(*symbols); note(stubs))
    for (const macho::Stub& stub : *stubs) add(symbols->at(stub.symbol).name);
  const macho::DebugMap map = macho::read_debug_map(*symbols);
  for (const macho::MappedObject& object : map.objects) {
    add(object.path);
    for (const macho::MappedFunction& function : map.of(object)) add(function.name), total += function.size;
  }
  return total;
}

}  // namespace symcached::testkit
