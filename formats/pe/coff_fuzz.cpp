/// COFF symbols, exports, unwind extents and debug links of images; object files with their relocations.
#include "testing/pe/parts_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes file = std::as_bytes(std::span(data, size));
  if (const auto image = pe::Image::open(file)) testkit::walk_parts(*image);
  if (const auto object = pe::CoffObject::open(file)) testkit::walk_object(*object);
  return 0;
}
