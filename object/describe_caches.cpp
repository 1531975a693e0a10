#include "object/describe_caches.hpp"

#include "ppdbcache/reader.hpp"
#include "symcache/reader.hpp"

namespace symcached::object {
namespace {

/// True as soon as one function has rows.
bool has_lines(const symcache::Symcache& cache) {
  symcache::FrameBuffer buffer;
  for (std::uint32_t i = 0; i < cache.function_count(); ++i)
    if (const auto function = cache.function(i, buffer); function && function->row_count != 0) return true;
  return false;
}

}  // namespace

void describe_symcache(FileInfo& info, Bytes file) {
  const auto cache = symcache::Symcache::open(file);
  if (!cache) return info.keep_first(cache.error());
  info.arch = cache->arch();
  info.debug_id = cache->debug_id();
  info.debug_file = cache->debug_file();
  if (cache->function_count() != 0) info.add_feature("symbols");
  if (has_lines(*cache)) info.add_feature("lines");
  if (cache->has_columns()) info.add_feature("columns");
  for (const symcache::SectionPlace& section : cache->sections())
    info.sections.push_back({.name = std::string(section.name), .start = section.start, .size = section.size});
}

void describe_ppdbcache(FileInfo& info, Bytes file) {
  const auto cache = ppdbcache::Reader::open(file);
  if (!cache) return info.keep_first(cache.error());
  info.debug_id = cache->debug_id();
  if (cache->method_count() != 0) info.add_feature("lines");
  if (cache->has_names()) info.add_feature("names");
  for (std::uint32_t i = 0; i < cache->document_count(); ++i)
    if (const auto document = cache->document(i)) info.documents.emplace_back(document->path);
}

}  // namespace symcached::object
