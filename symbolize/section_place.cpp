#include "symbolize/section_place.hpp"

#include <algorithm>

namespace symcached::symbolize {
namespace {

/// The first section that `fits` and holds the offset.
std::optional<model::Rva> first_of(std::span<const symcache::SectionPlace> sections, std::uint64_t offset, auto fits) {
  const auto found = std::ranges::find_if(
      sections, [&](const symcache::SectionPlace& section) { return offset < section.size && fits(section); });
  return found == sections.end() ? std::nullopt : std::optional(model::Rva{found->start.value + offset});
}

}  // namespace

std::optional<SectionPlace> parse_section_place(std::string_view text) {
  const std::size_t plus = text.rfind('+');
  if (plus == text.npos || plus == 0) return std::nullopt;
  const auto offset = parse_address(text.substr(plus + 1));
  if (!offset) return std::nullopt;
  return SectionPlace{text.substr(0, plus), *offset};
}

Sections::Sections(const Module& module) {
  if (module.is_growing()) return;  // a linked file, not to be converted whole for this
  if (const auto* const cache = module.symcache()) places_ = cache->sections();
}

std::optional<model::Rva> Sections::address(const SectionPlace& place) const {
  return first_of(places_, place.offset, [&](const auto& section) { return section.name == place.section; });
}

std::optional<model::Rva> Sections::address(std::uint64_t offset) const {
  return first_of(places_, offset, [](const auto&) { return true; });
}

}  // namespace symcached::symbolize
