#pragma once
/// Asks a ppdbcache everything it can be asked, so that a sanitizer sees what hostile bytes make it do.
#include <cstdint>
#include <string_view>

#include "ppdbcache/reader.hpp"

namespace symcached::testkit {

inline std::uint64_t sum_of(std::string_view text) {
  std::uint64_t total = text.size();
  for (const char c : text) total += static_cast<unsigned char>(c);
  return total;
}

/// @param rows  how many at most are asked
/// @return a number that depends on all that was read
inline std::uint64_t walk_everything(const ppdbcache::Reader& cache, std::uint32_t rows) {
  std::uint64_t total = cache.debug_id().age + cache.method_count() + cache.point_count() + (cache.verify() ? 1 : 0);
  for (std::uint32_t i = 0; i < cache.document_count() && i < rows; ++i)
    if (const auto document = cache.document(i)) total += sum_of(document->path);
  const auto ask = [&](std::uint32_t row, std::uint32_t il_offset) {
    const auto place = cache.lookup(row, il_offset);
    if (!place) return;
    total += sum_of(place->document) + place->line + place->column + static_cast<unsigned>(place->language);
    total += sum_of(place->method.scope) + sum_of(place->method.own);
  };
  for (std::uint32_t row = 0; row < rows; ++row) {
    const ppdbcache::Method method = cache.method(row);
    total += sum_of(method.name.text()) + method.kickoff + method.move_next + method.has_points;
    std::uint32_t left = 4096;
    ppdbcache::PointCursor points = cache.points(row);
    for (model::ManagedPoint p; left != 0 && points.next(p); --left) total += p.line;
    for (const std::uint32_t il_offset : {0u, 1u, 7u, 60u, 5000u, 0xFFFFFFFFu}) ask(row, il_offset);
  }
  for (const std::uint32_t row : {cache.row_limit() - 1, cache.row_limit(), 0xFFFFFFu, 0xFFFFFFFFu}) ask(row, 9);
  ppdbcache::RowPair pair;
  for (auto pairs = cache.kickoffs().all(); pairs.next(pair);) total += pair.key + pair.value;
  return total;
}

}  // namespace symcached::testkit
