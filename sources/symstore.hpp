#pragma once
/// The symstore layout: where a PDB lies below the root of a Windows symbol server or folder.
/// Spec: docs/protocols/symstore.md.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ids/guid.hpp"

namespace symcached::sources {

enum class Tiers : std::uint8_t { one, two };             ///< two: index2.txt lies in the root
enum class Packing : std::uint8_t { plain, underscore };  ///< underscore: the last letter of the name is '_'
enum class Spelling : std::uint8_t { as_given, lower, upper_age };

inline constexpr std::string_view kTwoTierMarker = "index2.txt";

/// One place to ask. Places differ only in spelling: a store on a case-sensitive disk has one of them.
struct Place {
  Packing packing;
  std::string path;  ///< relative to the root, '/' between segments, not percent-encoded
  bool operator==(const Place&) const = default;
};

/// Every place where the PDB may lie, in the order to ask, without repeats.
/// @param name  a file name that check_file_name() accepted
std::vector<Place> symstore_places(Tiers tiers, std::string_view name, const DebugId& id);

}  // namespace symcached::sources
