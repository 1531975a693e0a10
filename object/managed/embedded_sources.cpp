#include "object/managed/embedded_sources.hpp"

#include <algorithm>
#include <compare>
#include <tuple>

#include "base/ascii.hpp"

namespace symcached::object {
namespace {

constexpr char loose(char c) { return c == '\\' ? '/' : lower_ascii(c); }

/// Order by what is left when case and the direction of slashes do not count.
std::strong_ordering compare_loosely(std::string_view a, std::string_view b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(),
                                                [](char x, char y) { return loose(x) <=> loose(y); });
}

std::strong_ordering compare(std::string_view a, std::string_view b) {
  const auto order = compare_loosely(a, b);
  return order != 0 ? order : a <=> b;
}

}  // namespace

Read<EmbeddedSources> EmbeddedSources::open(const ppdb::Pdb& pdb) {
  SC_TRY(auto documents, pdb.documents());
  EmbeddedSources sources(pdb);
  sources.names_.reserve(documents.size());
  for (ppdb::Document& document : documents)
    sources.names_.push_back({std::move(document.name), static_cast<std::uint32_t>(sources.names_.size() + 1)});
  std::ranges::stable_sort(sources.names_, [](const Name& a, const Name& b) { return compare(a.path, b.path) < 0; });
  return sources;
}

std::optional<std::uint32_t> EmbeddedSources::document(std::string_view path) const {
  const auto exact = std::ranges::lower_bound(
      names_, path, [](std::string_view a, std::string_view b) { return compare(a, b) < 0; }, &Name::path);
  if (exact != names_.end() && exact->path == path) return exact->row;
  const auto close = std::ranges::lower_bound(
      names_, path, [](std::string_view a, std::string_view b) { return compare_loosely(a, b) < 0; }, &Name::path);
  if (close != names_.end() && compare_loosely(close->path, path) == 0) return close->row;
  return std::nullopt;
}

Read<std::optional<Buffer>> EmbeddedSources::source(std::string_view path) const {
  const auto row = document(path);
  if (!row) return std::nullopt;
  SC_TRY(const auto packed, pdb_->embedded_source(*row));
  if (!packed) return std::nullopt;
  return ppdb::unpack(*packed);
}

Read<std::optional<Buffer>> embedded_source_of(const ppdb::Pdb& pdb, std::string_view path) {
  SC_TRY(const auto sources, EmbeddedSources::open(pdb));
  return sources.source(path);
}

}  // namespace symcached::object
