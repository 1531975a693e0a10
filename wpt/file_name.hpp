#pragma once
/// What symcaches are called in a SymCache directory. WPT has had three ways since it began:
///
///     1  notepad.exe-5a1e8f3c2b000v1.symcache                              of an image; says nothing of its PDB
///     2  chrome.dll-0e77…c121v2.symcache                                   of an image, with the id of its PDB
///     3  app.pdb/3249D99D0C4049318610F4E4FB0B69361A/app.pdb-v3.1.0.symcache
///
/// The case of ASCII letters does not count in any of them. Names here are of others' files, so nothing is joined to a
/// path before sources::check_file_name() has accepted it; what is printed here has no component over 255 bytes.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "ids/guid.hpp"
#include "wpt/version.hpp"

namespace symcached::wpt {

inline constexpr std::size_t kMaxComponent = 255;  ///< bytes of a file's or folder's name

/// Generations 1 and 2 have no version in their names.
inline constexpr Version kFirstVersion{1, 0, 0}, kSecondVersion{2, 0, 0};

/// Generation 1.
struct ImageFile {
  std::string image;
  std::uint32_t timestamp = 0, image_size = 0;
  bool operator==(const ImageFile&) const = default;
};
/// Generation 2.
struct ImagePdbFile {
  std::string image;
  DebugId id;
  bool operator==(const ImagePdbFile&) const = default;
};
/// Generation 3: the PDB's id is the name of the folder.
struct PdbFile {
  std::string pdb;
  Version version;
  bool operator==(const PdbFile&) const = default;
};
using SymcacheFile = std::variant<ImageFile, ImagePdbFile, PdbFile>;

/// Nothing if it is no symcache's name: another extension (such as .pending and .error, downloads of WPA that are not
/// complete), a leading dot, or not of the forms above.
std::optional<SymcacheFile> parse_file_name(std::string_view name);
/// Nothing if it would be longer than kMaxComponent.
std::optional<std::string> to_string(const SymcacheFile& file);

/// "3249D99D0C4049318610F4E4FB0B69361A": GUID and age in hex, upper case as WPA writes them.
std::string folder_name(const DebugId& id);
/// In either case; an age has no leading zeros. Nothing if it is another name.
std::optional<DebugId> parse_folder_name(std::string_view name);

/// A symcache of generation 3, from the directory down.
struct PdbPlace {
  PdbFile file;
  DebugId id;
  bool operator==(const PdbPlace&) const = default;
};
/// Three parts, '/' or '\' between them, the name the same in the first and the last. Where a program of Windows runs
/// on another system, all of that is the name of one file.
std::optional<PdbPlace> parse_place(std::string_view path);
/// With '/' between the parts. Nothing if a part would be longer than kMaxComponent.
std::optional<std::string> to_string(const PdbPlace& place);

bool same_name(std::string_view a, std::string_view b);  ///< ASCII case does not count

/// Whether generation 2 means the same module by `image` as generation 3 by `pdb`: chrome.dll and chrome.pdb, or
/// chrome.dll.pdb.
bool is_image_of(std::string_view image, std::string_view pdb);

}  // namespace symcached::wpt
