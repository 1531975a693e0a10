#include "base/decompress.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/inflate_stream.hpp"

namespace {

using namespace symcached;

/// The stream in pieces gives the same bytes, or an error where all at once gives one.
void compare_with_stream(const Compressed& from, const Read<Buffer>& exact) {
  auto stream = InflateStream::open(from, "fuzz.stream");
  std::vector<std::byte> pieces;
  bool good = stream.has_value();
  while (good && stream->left() != 0) {
    const std::size_t at = pieces.size();
    pieces.resize(at + std::min<std::uint64_t>(stream->left(), 777));
    good = stream->read(std::span(pieces).subspan(at)).has_value();
  }
  if (good && exact && !std::ranges::equal(pieces, exact->bytes())) std::abort();
  if (exact && !good && exact->size() != 0) std::abort();
}

}  // namespace

/// The first byte chooses the codec, the rest is the stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto codec = static_cast<Codec>(data[0] % 5);
  const Bytes stream = std::as_bytes(std::span(data + 1, size - 1));
  constexpr std::uint64_t kLimit = 1 << 20;
  const auto whole = decompress_whole(codec, stream, kLimit, "fuzz.whole");
  if (whole && whole->size() > kLimit) std::abort();
  const std::uint64_t stated = whole ? whole->size() : 1000;
  const auto exact = decompress(codec, stream, stated, "fuzz.exact");
  if (exact && exact->size() != stated) std::abort();
  if (codec == Codec::zlib || codec == Codec::zstd) compare_with_stream({codec, stream, stated}, exact);
  return 0;
}
