#include "wpt/file_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"

namespace symcached::wpt {

bool same_name(std::string_view a, std::string_view b) {
  const auto folded = [](char c) { return lower_ascii(c); };
  return std::ranges::equal(a, b, {}, folded, folded);
}

namespace {

constexpr std::string_view kExtension = ".symcache";
constexpr std::size_t kGuidDigits = 32;
constexpr std::size_t kNumberDigits = 8;

/// Removes `end` in any case. @return whether it was there
bool remove_end(std::string_view& text, std::string_view end) {
  if (text.size() < end.size() || !same_name(text.substr(text.size() - end.size()), end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::optional<std::uint32_t> parse_hex_number(std::string_view digits) {
  if (digits.empty() || digits.size() > kNumberDigits) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : digits) {
    const auto digit = hex_digit(c);
    if (!digit) return std::nullopt;
    value = value << 4 | *digit;
  }
  return value;
}

/// What is before and after the last '-'; both are something.
struct Halves {
  std::string_view name, key;
};
std::optional<Halves> at_last_dash(std::string_view text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == text.size()) return std::nullopt;
  return Halves{text.substr(0, dash), text.substr(dash + 1)};
}

std::optional<SymcacheFile> parse_image(const Halves& parts) {
  if (parts.key.size() <= kNumberDigits) return std::nullopt;
  const auto timestamp = parse_hex_number(parts.key.substr(0, kNumberDigits));
  const auto size = parse_hex_number(parts.key.substr(kNumberDigits));
  if (!timestamp || !size) return std::nullopt;
  return ImageFile{std::string(parts.name), *timestamp, *size};
}

std::optional<SymcacheFile> parse_image_pdb(const Halves& parts) {
  const auto id = parse_folder_name(parts.key);
  if (!id) return std::nullopt;
  return ImagePdbFile{std::string(parts.name), *id};
}

std::optional<SymcacheFile> parse_pdb(const Halves& parts) {
  if (lower_ascii(parts.key.front()) != 'v') return std::nullopt;
  const auto version = Version::parse(parts.key.substr(1));
  if (!version) return std::nullopt;
  return PdbFile{std::string(parts.name), *version};
}

std::optional<std::string> if_it_fits(std::string name) {
  return name.size() <= kMaxComponent ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace

std::optional<SymcacheFile> parse_file_name(std::string_view name) {
  if (name.starts_with('.') || name.size() > kMaxComponent || !remove_end(name, kExtension)) return std::nullopt;
  const auto parts = at_last_dash(name);
  if (!parts) return std::nullopt;
  if (auto pdb = parse_pdb(*parts)) return pdb;
  std::string_view key = parts->key;
  if (remove_end(key, "v2")) return parse_image_pdb({parts->name, key});
  if (remove_end(key, "v1")) return parse_image({parts->name, key});
  return std::nullopt;
}

std::optional<std::string> to_string(const SymcacheFile& file) {
  return if_it_fits(std::visit(
      overloaded{[](const ImageFile& f) {
                   return fmt::format("{}-{:08x}{:x}v1{}", f.image, f.timestamp, f.image_size, kExtension);
                 },
                 [](const ImagePdbFile& f) {
                   return fmt::format("{}-{}{:x}v2{}", f.image, f.id.guid.hex_lower(), f.id.age, kExtension);
                 },
                 [](const PdbFile& f) { return fmt::format("{}-v{}{}", f.pdb, f.version.to_string(), kExtension); }},
      file));
}

std::string folder_name(const DebugId& id) {
  std::string name = id.guid.hex_upper();
  fmt::format_to(std::back_inserter(name), "{:X}", id.age);
  return name;
}

std::optional<DebugId> parse_folder_name(std::string_view name) {
  if (name.size() <= kGuidDigits || !std::ranges::all_of(name, [](char c) { return hex_digit(c).has_value(); }))
    return std::nullopt;
  const std::string_view digits = name.substr(kGuidDigits);
  if (digits.starts_with('0') && digits.size() > 1) return std::nullopt;
  const auto guid = Guid::parse(name.substr(0, kGuidDigits));
  const auto age = parse_hex_number(digits);
  return guid && age ? std::optional(DebugId{*guid, *age}) : std::nullopt;
}

std::optional<PdbPlace> parse_place(std::string_view path) {
  constexpr std::string_view kSeparators = "/\\";
  const std::size_t first = path.find_first_of(kSeparators);
  const std::size_t last = path.find_last_of(kSeparators);
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const auto id = parse_folder_name(path.substr(first + 1, last - first - 1));
  const auto file = parse_file_name(path.substr(last + 1));
  const auto* pdb = file ? std::get_if<PdbFile>(&*file) : nullptr;
  if (!id || pdb == nullptr || !same_name(path.substr(0, first), pdb->pdb)) return std::nullopt;
  return PdbPlace{*pdb, *id};
}

std::optional<std::string> to_string(const PdbPlace& place) {
  const auto file = to_string(SymcacheFile(place.file));
  if (!file) return std::nullopt;
  return fmt::format("{}/{}/{}", place.file.pdb, folder_name(place.id), *file);
}

bool is_image_of(std::string_view image, std::string_view pdb) {
  if (!remove_end(pdb, ".pdb") || pdb.empty()) return false;
  return same_name(image, pdb) || same_name(image.substr(0, image.rfind('.')), pdb);
}

}  // namespace symcached::wpt
