/// Any bytes as a symcache. Magic, version and checksums are mended first, so that mutations reach what lies behind.
#include <xxhash.h>

#include <cstring>
#include <vector>

#include "symcache/reader.hpp"
#include "testing/caches/symcache_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes input = std::as_bytes(std::span(data, size));
  if (const auto cache = symcache::Symcache::open(input)) testkit::walk_everything(*cache, 64);
  symcache::Header header;
  if (size < sizeof header) return 0;
  std::vector<std::byte> mended(input.begin(), input.end());
  std::memcpy(&header, mended.data(), sizeof header);
  header.magic = symcache::kMagic;
  header.version = symcache::kFormatVersion;
  header.payload_checksum = XXH3_64bits(mended.data() + sizeof header, size - sizeof header);
  header.header_checksum = 0;
  header.header_checksum = XXH3_64bits(&header, sizeof header);
  std::memcpy(mended.data(), &header, sizeof header);
  if (const auto cache = symcache::Symcache::open(mended)) testkit::walk_everything(*cache, 64);
  return 0;
}
