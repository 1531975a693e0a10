#pragma once
/// file.ptr: a small text that lies in a store in place of a file and says where that is.
/// Spec: docs/protocols/symstore.md.
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sources/windows_path.hpp"

namespace symcached::sources {

inline constexpr std::string_view kFilePointer = "file.ptr";
inline constexpr std::size_t kMaxFilePointer = 4096;  ///< bytes; a longer one is no pointer

/// In the same store. Packed or not: see forms_of().
struct PointsInStore {
  std::string path;  ///< below its root
  bool operator==(const PointsInStore&) const = default;
};
/// Where an operator's map leads.
struct PointsElsewhere {
  MappedPath place;
  bool operator==(const PointsElsewhere&) const = default;
};
/// The store says no, on purpose.
struct NotKept {
  std::string message;  ///< for people; may be empty
  bool operator==(const NotKept&) const = default;
};
struct UnusablePointer {
  std::string why;
  bool operator==(const UnusablePointer&) const = default;
};
using FilePointer = std::variant<PointsInStore, PointsElsewhere, NotKept, UnusablePointer>;

/// "PATH:\\server\share\x.pdb", the same without "PATH:", "RELPATH:x\y.pdb", "MSG: text", words in any case. Drives,
/// shares, URLs and paths from the root count only where the map has them; nothing else is ever followed. A path that
/// begins with ".." is relative to the pointer's folder, any other to the store's root.
/// @param pointer  the pointer's own path below the root, '/' between segments
FilePointer read_file_pointer(std::string_view text, std::string_view pointer, const PathMap& map);

/// "x.pdb", and "x.pd_": pointers name the plain file where only the packed one lies.
std::vector<std::string> forms_of(const std::string& path);

/// The pointer in the folder of a file.
std::string pointer_beside(std::string_view path);

}  // namespace symcached::sources
