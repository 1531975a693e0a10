#pragma once
/// The symstore layout: where a file lies below the root of a Windows symbol server or folder.
/// Spec: docs/protocols/symstore.md.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/file_id.hpp"

namespace symcached::sources {

enum class Tiers : std::uint8_t { one, two };             ///< two: index2.txt lies in the root
enum class Packing : std::uint8_t { plain, underscore };  ///< underscore: the last letter of the name is '_'

inline constexpr std::string_view kTwoTierMarker = "index2.txt";

/// One place to ask. Places differ only in spelling: a store on a case-sensitive disk has one of them.
struct Place {
  Packing packing;
  std::string path;  ///< relative to the root, '/' between segments, not percent-encoded
  bool operator==(const Place&) const = default;
};

/// Every place where the file may lie, in the order to ask, without repeats.
/// @param name  a file name that check_file_name() accepted
std::vector<Place> symstore_places(Tiers tiers, std::string_view name, const FileId& id);

/// What lies at a place.
struct StoredFile {
  std::string name;  ///< as the path spells it; check_file_name() accepts it
  FileId id;
  Packing packing;
  bool operator==(const StoredFile&) const = default;
};

/// The inverse of symstore_places(), for every spelling that it knows. An id that ends in eight letters f is that of a
/// Portable PDB.
/// @param path  as in Place
/// @return nothing if no file lies there
std::optional<StoredFile> parse_symstore_path(Tiers tiers, std::string_view path);

}  // namespace symcached::sources
