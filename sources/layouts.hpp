#pragma once
/// Where a file lies below the root of a source, for every layout, and what lies at a place.
/// Spec: docs/protocols/layouts.md, docs/protocols/symstore.md.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sources/module_ids.hpp"
#include "sources/source_config.hpp"

namespace symcached::sources {

/// Lies in the root of a symstore with two tiers.
inline constexpr std::string_view kTwoTierMarker = "index2.txt";

struct LayoutRules {
  Layout layout = Layout::automatic;
  Casing casing = Casing::standard;
  Probing probing = Probing::all;
  bool two_tiers = false;  ///< Layout::automatic: kTwoTierMarker was found

  bool has_tiers() const { return layout == Layout::symstore_index2 || (layout == Layout::automatic && two_tiers); }
};

enum class Packing : std::uint8_t { plain, underscore };  ///< underscore: the last letter of the name is '_'

/// One place to ask.
struct Place {
  Packing packing = Packing::plain;
  std::uint16_t spelling = 0;  ///< the same number for the same pattern, whatever the request; its type's own
  std::string path;            ///< relative to the root, '/' between segments, not percent-encoded
  bool operator==(const Place&) const = default;
};

/// Every place where the file may lie, in the order to ask, without repeats. Empty if the layout has none for it, as
/// Layout::loose never has.
/// @param request  from make_request()
std::vector<Place> places(const LayoutRules& rules, const FileRequest& request);

/// What may lie at a place.
struct StoredFile {
  FileRequest file;  ///< what the path says of it; names as the path spells them
  Packing packing = Packing::plain;
  bool operator==(const StoredFile&) const = default;
};

/// The inverse of places(), casing aside: every request that has this place. Paths of symstore, ssqp, nuget, breakpad
/// and debuginfod name one file; those of native and unified may be of several types, and without the name that
/// make_request() wants.
/// An id that ends in eight letters f is that of a Portable PDB. `flat` and `slashsymbols` say too little: nothing.
std::vector<StoredFile> parse_place(const LayoutRules& rules, std::string_view path);

}  // namespace symcached::sources
