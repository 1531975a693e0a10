#pragma once
/// Touches everything a symcache offers, so that a sanitizer sees every byte the reader would hand out.
#include <cstdint>

#include "symcache/reader.hpp"

namespace symcached::testkit {

inline std::uint64_t sum(std::string_view text) {
  std::uint64_t total = text.size();
  for (const char c : text) total += static_cast<unsigned char>(c);
  return total;
}

inline std::uint64_t look_up(const symcache::Symcache& cache, std::uint64_t rva, symcache::FrameBuffer& buffer) {
  const auto found = cache.lookup({rva}, buffer, symcache::Parameters::read);
  if (!found) return 1;
  std::uint64_t total = found->start.value + found->size + sum(cache.linkage_name(*found, buffer));
  for (const symcache::Frame& f : found->frames) total += sum(f.signature()) + sum(f.file) + f.line + f.column;
  return total;
}

/// @param functions  how many at most are listed and looked up
/// @return a number that depends on all that was read
inline std::uint64_t walk_everything(const symcache::Symcache& cache, std::uint32_t functions) {
  symcache::FrameBuffer buffer;
  std::uint64_t total = cache.debug_id().age + sum(cache.producer_kind()) + sum(cache.debug_file());
  total += sum(model::name_of(cache.arch())) + (cache.verify() ? 1 : 0);
  for (const symcache::SectionPlace& section : cache.sections()) total += sum(section.name) + section.size;
  for (std::uint32_t i = 0; i < cache.function_count() && i < functions; ++i) {
    const auto f = cache.function(i, buffer);
    if (!f) continue;
    total += sum(f->name) + sum(f->linkage_name) + sum(name_of(f->language)) + sum(name_of(f->kind)) + f->row_count;
    for (const symcache::Alias& alias : f->aliases) total += sum(alias.name) + sum(alias.linkage_name);
    const std::uint64_t start = f->start.value, last = start + f->size - 1;
    for (const std::uint64_t rva : {start - 1, start, start + 1, start + f->size / 2, last, last + 1})
      total += look_up(cache, rva, buffer);
  }
  for (const std::uint64_t rva : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x1010}, std::uint64_t{1} << 32})
    total += look_up(cache, rva, buffer);
  return total;
}

}  // namespace symcached::testkit
