#include "base/decompress.hpp"

#include <cstdlib>

/// The first byte chooses the codec, the rest is the stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (size == 0) return 0;
  const auto codec = static_cast<Codec>(data[0] % 5);
  const Bytes stream = std::as_bytes(std::span(data + 1, size - 1));
  constexpr std::uint64_t kLimit = 1 << 20;
  const auto whole = decompress_whole(codec, stream, kLimit, "fuzz.whole");
  if (whole && whole->size() > kLimit) std::abort();
  const std::uint64_t stated = whole ? whole->size() : 1000;
  const auto exact = decompress(codec, stream, stated, "fuzz.exact");
  if (exact && exact->size() != stated) std::abort();
  return 0;
}
