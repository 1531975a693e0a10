#include "formats/pe/reader.hpp"

#include "formats/pe/managed.hpp"
#include "testing/pe/walk.hpp"

namespace {

using namespace symcached;

void walk_managed(const pe::Image& image) {
  if (const auto metadata = pe::metadata(image); metadata && *metadata) testkit::sum(**metadata);
  const auto files = pe::debug_files(image);
  if (!files) return;
  for (const pe::PdbChecksum& checksum : files->checksums)
    testkit::sum(as_bytes(checksum.algorithm)), testkit::sum(checksum.digest);
  if (!files->embedded || files->embedded->unpacked_size > 1u << 20) return;
  if (const auto pdb = pe::unpack(*files->embedded)) testkit::sum(pdb->bytes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bool whole = false;
  const auto image = pe::Image::open(std::as_bytes(std::span(data, size)));
  if (!image) return 0;
  testkit::walk_everything(*image, whole);
  walk_managed(*image);
  return 0;
}
