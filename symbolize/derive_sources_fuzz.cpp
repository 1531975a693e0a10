/// Any bytes as a file with sources: what is made of them is a cache that its reader takes, and not much larger.
#include <cstdlib>

#include "sourcecache/reader.hpp"
#include "symbolize/derive_sources.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto derived = symbolize::derive_sources({.file = std::as_bytes(std::span(data, size))});
  if (!derived) return 0;
  const auto cache = sourcecache::Reader::open(derived->file);
  if (!cache) std::abort();
  for (std::uint32_t i = 0; i < cache->file_count(); ++i) {
    const auto file = cache->file(i);
    if (!file || !cache->find(file->path)) std::abort();
    if (file->has_text())
      (void)sourcecache::unpack(*file, Bytes(derived->file).subspan(file->position, file->packed_size));
  }
  return 0;
}
