#pragma once
/// Finds on this machine's disk the further files that a debug file refers to.
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.hpp"
#include "object/translate.hpp"
#include "symbolize/seen_files.hpp"

namespace symcached::symbolize {

/// Where systems keep debug files of what they installed.
inline constexpr const char* kDebugFolder = "/usr/lib/debug";

/// Files that were found, mapped.
class Companions {
 public:
  std::span<const object::Companion> all() const { return all_; }
  void release_pages() const {
    for (const auto& file : files_) file.release_pages();
  }

 private:
  friend class CompanionSearch;
  std::vector<MappedFile> files_;
  std::vector<object::Companion> all_;
};

/// Where files may lie that are not around the file that refers to them.
struct FarPlaces {
  std::span<const std::string> debug_folders = {};  ///< as kDebugFolder
  std::span<const std::string> symbol_maps = {};  ///< BCSymbolMaps; one that is named by a UUID is for that UUID alone
  std::string_view split_package = {};            ///< the package of split DWARF; empty: beside the file
};

/// The places where a file may lie, the likeliest first.
/// @param file  that refers to it
std::vector<std::filesystem::path> places_of(const object::NeedFile& need, const std::filesystem::path& file,
                                             const FarPlaces& far);

/// Looks for what `bytes`, the content of `file`, needs, then for what those files need. What is not there is left out.
/// @param seen  notes every place that was looked at; null: nobody wants to know
Companions find_companions(const std::filesystem::path& file, Bytes bytes, const FarPlaces& far,
                           SeenFiles* seen = nullptr);

}  // namespace symcached::symbolize
