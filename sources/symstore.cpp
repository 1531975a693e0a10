#include "sources/symstore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "sources/file_name.hpp"

namespace symcached::sources {
namespace {

struct LayoutRow {
  Tiers tiers;
  Packing packing;
  std::string_view pattern;
};

/// Words: prefix (first two letters of the name), name, key (guid and age), file (the name as the packing has it).
constexpr LayoutRow kLayouts[] = {
    {Tiers::one, Packing::plain, "{name}/{key}/{file}"},
    {Tiers::one, Packing::underscore, "{name}/{key}/{file}"},
    {Tiers::two, Packing::plain, "{prefix}/{name}/{key}/{file}"},
    {Tiers::two, Packing::underscore, "{prefix}/{name}/{key}/{file}"},
};

constexpr bool each_pair_once() {
  for (const Tiers tiers : {Tiers::one, Tiers::two})
    for (const Packing packing : {Packing::plain, Packing::underscore})
      if (std::ranges::count_if(kLayouts,
                                [&](const LayoutRow& r) { return r.tiers == tiers && r.packing == packing; }) != 1)
        return false;
  return true;
}
static_assert(each_pair_once(), "a (tiers, packing) pair is missing or listed twice");

constexpr Spelling kSpellings[] = {Spelling::as_given, Spelling::lower, Spelling::upper_age};

/// The letters of the first tier: two, or one when the second is a dot.
std::string_view tier_prefix(std::string_view name) {
  return name.substr(0, name.size() > 1 && name[1] == '.' ? 1 : 2);
}

std::string expand(const LayoutRow& row, Spelling spelling, std::string_view given_name, const DebugId& id) {
  const std::string name = spelling == Spelling::lower ? lower_ascii(given_name) : std::string(given_name);
  const std::string guid = spelling == Spelling::lower ? id.guid.hex_lower() : id.guid.hex_upper();
  const std::string key =
      spelling == Spelling::upper_age ? fmt::format("{}{:X}", guid, id.age) : fmt::format("{}{:x}", guid, id.age);
  std::string file = name;
  if (row.packing == Packing::underscore) file.back() = '_';
  return fmt::format(fmt::runtime(row.pattern), fmt::arg("prefix", tier_prefix(name)), fmt::arg("name", name),
                     fmt::arg("key", key), fmt::arg("file", file));
}

}  // namespace

std::vector<Place> symstore_places(Tiers tiers, std::string_view name, const DebugId& id) {
  std::vector<Place> places;
  for (const Spelling spelling : kSpellings) {
    for (const LayoutRow& row : kLayouts) {
      if (row.tiers != tiers) continue;
      Place place{row.packing, expand(row, spelling, name, id)};
      if (std::ranges::find(places, place.path, &Place::path) == places.end()) places.push_back(std::move(place));
    }
  }
  return places;
}

}  // namespace symcached::sources
