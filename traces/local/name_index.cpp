#include "traces/local/name_index.hpp"

#include <algorithm>
#include <utility>

#include "demangle/demangle.hpp"

namespace symcached::traces {
namespace {

/// "foo.cold" and "foo.part.0" are not what "foo" means.
bool is_variant_of(std::string_view name, std::string_view of) {
  return name.size() > of.size() && name.starts_with(of) && name[of.size()] == '.';
}

bool has_variant(const symcache::FunctionInfo& function) {
  return is_variant_of(function.linkage_name, function.name) ||
         std::ranges::any_of(function.aliases, [&](const symcache::Alias& alias) {
           return is_variant_of(alias.name, function.name) || is_variant_of(alias.linkage_name, function.name);
         });
}

bool may_be(const NameIndex::Place& place, std::uint64_t offset, std::optional<std::uint64_t> size) {
  if (!size) return offset <= place.gap;
  constexpr std::uint64_t kPage = 4096;  // to whose end what is last in memory reaches
  return offset <= *size && (*size == place.gap || (place.is_last && *size > place.gap && *size - place.gap < kPage));
}

}  // namespace

/// The number of the last place, which is at `start`; starts rise from call to call.
std::uint32_t NameIndex::place_at(model::Rva start, std::uint64_t size) {
  if (places_.empty() || places_.back().start != start) places_.push_back({start, size});
  return static_cast<std::uint32_t>(places_.size() - 1);
}

NameIndex NameIndex::of(std::span<const object::CodeSymbol> symbols, const Geometry& geometry) {
  NameIndex index;
  for (const object::CodeSymbol& symbol : symbols)
    if (const auto start = geometry.rva_of(NumberKind::link, symbol.address); start && !symbol.is_stub)
      index.add(symbol.name, index.place_at(*start, symbol.size));
  index.measure(geometry.code());
  return index;
}

NameIndex NameIndex::of(const symcache::Symcache& cache, const Geometry& geometry) {
  NameIndex index;
  symcache::FrameBuffer buffer;
  for (std::uint32_t i = 0; i < cache.function_count(); ++i) {
    buffer.clear();
    const auto function = cache.function(i, buffer);
    if (!function || function->name.empty()) continue;  // padding with lines has no name
    const std::uint32_t place = index.place_at(function->start, function->size);
    if (function->kind != model::SymbolKind::cold_part && !has_variant(*function)) index.add(function->name, place);
    if (!function->linkage_name.empty()) index.add(function->linkage_name, place);
    for (const symcache::Alias& alias : function->aliases) {
      index.add(alias.name, place);
      if (!alias.linkage_name.empty()) index.add(alias.linkage_name, place);
    }
  }
  index.measure(geometry.code());
  return index;
}

void NameIndex::measure(const std::vector<Geometry::Range>& code) {
  auto range = code.begin();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    while (range != code.end() && range->end <= place.start.value) ++range;
    const std::uint64_t next = i + 1 < places_.size() ? places_[i + 1].start.value : ~std::uint64_t{0};
    const std::uint64_t end = range == code.end() ? ~std::uint64_t{0} : range->end;
    place.is_last = next >= end;
    if (std::min(next, end) != ~std::uint64_t{0}) place.gap = std::min(next, end) - place.start.value;
    else place.is_last = true;
  }
}

void NameIndex::demangle_all() {
  if (std::exchange(is_demangled_, true)) return;
  for (const auto& [name, place] : names_) {
    if (demangle::scheme_of(name) == demangle::Scheme::none) continue;
    std::string full = demangle::demangle(name), brief = demangle::demangle(name, demangle::Detail::no_parameters);
    if (brief != full) demangled_.emplace(std::move(brief), place);
    demangled_.emplace(std::move(full), place);
  }
}

std::vector<NameIndex::Place> NameIndex::find(std::string_view name, std::uint64_t offset,
                                              std::optional<std::uint64_t> size, std::size_t& count) {
  const std::string wanted(name);
  if (!names_.contains(wanted)) demangle_all();
  std::vector<std::uint32_t> all;
  for (const Names* names : {&names_, &demangled_}) {
    const auto [first, last] = names->equal_range(wanted);
    for (auto at = first; at != last; ++at) all.push_back(at->second);
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  count = all.size();
  std::vector<Place> found;
  for (const std::uint32_t place : all)
    if (may_be(places_[place], offset, size)) found.push_back(places_[place]);
  return found;
}

}  // namespace symcached::traces
