#include "sources/symstore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"
#include "sources/file_name.hpp"

namespace symcached::sources {
namespace {

struct LayoutRow {
  Tiers tiers;
  Packing packing;
  std::string_view pattern;
};

/// Words: prefix (first two letters of the name), name, key, file (the name as the packing has it).
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

enum class Kind : std::uint8_t { pdb, portable_pdb, image };  ///< in the order of FileId's alternatives
enum class NameAs : std::uint8_t { given, lower };

struct KeyRow {
  Kind kind;
  NameAs name;
  std::string_view key;
};

/// Words: GUID and guid (32 digits, in that case), age, timestamp, size. One spelling each; those of a kind in the
/// order to ask. Portable ones first, for parsing.
constexpr KeyRow kKeys[] = {
    {Kind::portable_pdb, NameAs::lower, "{guid}FFFFFFFF"},  // SSQP; NuGet's server takes no other
    {Kind::portable_pdb, NameAs::given, "{guid}FFFFFFFF"},
    {Kind::portable_pdb, NameAs::given, "{GUID}FFFFFFFF"},
    {Kind::portable_pdb, NameAs::lower, "{guid}ffffffff"},
    {Kind::pdb, NameAs::given, "{GUID}{age:x}"},
    {Kind::pdb, NameAs::lower, "{guid}{age:x}"},
    {Kind::pdb, NameAs::given, "{GUID}{age:X}"},
    {Kind::image, NameAs::given, "{timestamp:08X}{size:x}"},
    {Kind::image, NameAs::lower, "{timestamp:08X}{size:x}"},
    {Kind::image, NameAs::lower, "{timestamp:08x}{size:x}"},
    {Kind::image, NameAs::given, "{timestamp:08X}{size:X}"},
};

/// The letters of the first tier: two, or one when the second is a dot.
std::string_view tier_prefix(std::string_view name) {
  return name.substr(0, name.size() > 1 && name[1] == '.' ? 1 : 2);
}

std::string key_text(const KeyRow& row, const FileId& id) {
  const auto pattern = fmt::runtime(row.key);
  const auto with_guid = [&](const Guid& guid, std::uint32_t age) {
    return fmt::format(pattern, fmt::arg("GUID", guid.hex_upper()), fmt::arg("guid", guid.hex_lower()),
                       fmt::arg("age", age));
  };
  return std::visit(overloaded{[&](const DebugId& pdb) { return with_guid(pdb.guid, pdb.age); },
                               [&](const PortableId& pdb) { return with_guid(pdb.guid, 0); },
                               [&](const ImageId& image) {
                                 return fmt::format(pattern, fmt::arg("timestamp", image.timestamp),
                                                    fmt::arg("size", image.size));
                               }},
                    id);
}

std::string expand(const LayoutRow& layout, const KeyRow& row, std::string_view given_name, const FileId& id) {
  const std::string name = row.name == NameAs::lower ? lower_ascii(given_name) : std::string(given_name);
  std::string file = name;
  if (layout.packing == Packing::underscore) file.back() = '_';
  return fmt::format(fmt::runtime(layout.pattern), fmt::arg("prefix", tier_prefix(name)), fmt::arg("name", name),
                     fmt::arg("key", key_text(row, id)), fmt::arg("file", file));
}

/// Hex digits cut off the front of a key, as many of them as a field of its kind may have.
std::optional<std::string_view> take_digits(std::string_view& key, std::size_t least, std::size_t most) {
  std::size_t n = 0;
  while (n < key.size() && n < most && hex_digit(key[n])) ++n;
  if (n < least) return std::nullopt;
  const std::string_view digits = key.substr(0, n);
  key.remove_prefix(n);
  return digits;
}

std::uint32_t number(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) value = value << 4 | *hex_digit(c);
  return value;
}

/// The id that a key of this kind may name, whatever the case of its letters; expanding it again tells.
std::optional<FileId> parse_key(Kind kind, std::string_view key) {
  constexpr std::size_t kGuid = 32, kNumber = 8;
  const auto first = take_digits(key, kind == Kind::image ? kNumber : kGuid, kind == Kind::image ? kNumber : kGuid);
  const auto second = take_digits(key, kind == Kind::portable_pdb ? kNumber : 1, kNumber);
  if (!first || !second || !key.empty()) return std::nullopt;
  switch (kind) {
    case Kind::pdb: return DebugId{*Guid::parse(*first), number(*second)};
    case Kind::portable_pdb: return PortableId{*Guid::parse(*first)};
    case Kind::image: return ImageId{number(*first), number(*second)};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Place> symstore_places(Tiers tiers, std::string_view name, const FileId& id) {
  std::vector<Place> places;
  for (const KeyRow& row : kKeys) {
    if (row.kind != static_cast<Kind>(id.index())) continue;
    for (const LayoutRow& layout : kLayouts) {
      if (layout.tiers != tiers) continue;
      Place place{layout.packing, expand(layout, row, name, id)};
      if (std::ranges::find(places, place.path, &Place::path) == places.end()) places.push_back(std::move(place));
    }
  }
  return places;
}

std::optional<StoredFile> parse_symstore_path(Tiers tiers, std::string_view path) {
  constexpr std::size_t kMostPath = 4 * (kMaxFileName + 1);
  if (path.size() > kMostPath) return std::nullopt;
  const std::size_t file_at = path.rfind('/');
  if (file_at == std::string_view::npos || file_at == 0) return std::nullopt;
  const std::size_t key_at = path.rfind('/', file_at - 1);
  if (key_at == std::string_view::npos || key_at == 0) return std::nullopt;
  const std::size_t before = path.rfind('/', key_at - 1);
  const std::size_t name_at = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view name = path.substr(name_at, key_at - name_at);
  if (!check_file_name(name)) return std::nullopt;
  const std::string_view key = path.substr(key_at + 1, file_at - key_at - 1);
  for (const KeyRow& row : kKeys) {
    const auto id = parse_key(row.kind, key);
    if (!id) continue;
    for (const LayoutRow& layout : kLayouts)
      if (layout.tiers == tiers && expand(layout, row, name, *id) == path)
        return StoredFile{std::string(name), *id, layout.packing};
  }
  return std::nullopt;
}

}  // namespace symcached::sources
