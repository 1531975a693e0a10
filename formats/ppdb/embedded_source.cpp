#include <cstring>

#include "base/decompress.hpp"
#include "formats/ppdb/reader.hpp"

namespace symcached::ppdb {

Read<Buffer> unpack(const EmbeddedSource& source) {
  constexpr std::string_view kField = "ppdb.embedded_source";
  if (source.unpacked_size > kMaxEmbeddedSource) return too_large(kField, 0, source.unpacked_size, kMaxEmbeddedSource);
  if (source.deflated) return decompress(Codec::deflate, source.data, source.unpacked_size, kField);
  Buffer copy(source.data.size());
  if (!source.data.empty()) std::memcpy(copy.data(), source.data.data(), source.data.size());
  return copy;
}

}  // namespace symcached::ppdb
