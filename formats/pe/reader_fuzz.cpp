#include "formats/pe/reader.hpp"
#include "testing/pe_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  bool whole = false;
  if (const auto image = pe::Image::open(std::as_bytes(std::span(data, size)))) testkit::walk_everything(*image, whole);
  return 0;
}
