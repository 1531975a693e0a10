#pragma once
/// Which Mach-O file is meant where there are several: slices of universal files, members of libraries, companions.
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/ar/reader.hpp"
#include "formats/macho/bcsymbolmap.hpp"
#include "formats/macho/fat.hpp"
#include "formats/macho/reader.hpp"
#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

model::Arch arch_of(macho::Cpu cpu);

/// The file itself, or of a universal one the slice that is translated: the first with DWARF, else the first.
Read<Bytes> chosen_slice(Bytes file);

/// The image's dSYM among the companions: the Mach-O file, or the slice of a universal one, with its UUID and DWARF.
std::optional<macho::File> find_dsym(const macho::File& image, std::span<const Companion> companions);

/// The UUID that the image's BCSymbolMap is named by, if a companion tells another one than the image's.
std::optional<Guid> find_original_uuid(std::span<const Companion> companions);

/// The image's BCSymbolMap among the companions.
std::optional<macho::SymbolMap> find_symbol_map(std::span<const Companion> companions);

/// The object files of a debug map, found among companions by the path that the map names them by.
class ObjectFiles {
 public:
  ObjectFiles(const macho::File& image, std::span<const Companion> companions);

  bool has(std::string_view path) const { return by_path_.contains(path); }
  /// Nothing if it is not among the companions, is no Mach-O file for the image's processor, or is not the one that
  /// was linked: a library's member says when it was modified.
  std::optional<macho::File> open(std::string_view path, std::uint64_t modified);

 private:
  Bytes member(Bytes library, std::string_view path, std::uint64_t modified);

  macho::Cpu cpu_;
  std::map<std::string_view, Bytes> by_path_;
  std::map<const std::byte*, std::multimap<std::string_view, ar::Member>> archives_;
};

}  // namespace symcached::object
