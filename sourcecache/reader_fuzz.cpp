/// Any bytes as a sourcecache. Magic, version and checksums are mended first, so that mutations reach what lies behind.
#include <xxhash.h>

#include <cstring>
#include <vector>

#include "sourcecache/reader.hpp"

namespace {

using namespace symcached;
using namespace symcached::sourcecache;

void walk(Bytes file) {
  const auto cache = Reader::open(file);
  if (!cache) return;
  (void)cache->verify(file);
  for (std::uint32_t i = 0; i < cache->file_count(); ++i) {
    const auto one = cache->file(i);
    if (!one) continue;
    (void)cache->find(one->path);
    const auto packed = slice(file, one->position, one->packed_size, "text");
    if (packed && one->has_text()) (void)unpack(*one, *packed);
  }
  for (std::uint32_t i = 0; i < cache->link_count(); ++i) (void)cache->link(i);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input = std::as_bytes(std::span(data, size));
  walk(input);
  Header header;
  if (size < sizeof header) return 0;
  std::vector<std::byte> mended(input.begin(), input.end());
  std::memcpy(&header, mended.data(), sizeof header);
  header.magic = kMagic;
  header.version = kFormatVersion;
  const std::uint64_t behind = size - sizeof header;
  if (header.table_size > behind) header.table_size = behind / 2;
  const std::uint64_t table = header.table_size;
  header.texts_size = behind - table;
  header.table_checksum = XXH3_64bits(mended.data() + sizeof header, table);
  header.texts_checksum = XXH3_64bits(mended.data() + sizeof header + table, behind - table);
  header.header_checksum = 0;
  header.header_checksum = XXH3_64bits(&header, sizeof header);
  std::memcpy(mended.data(), &header, sizeof header);
  walk(mended);
  return 0;
}
