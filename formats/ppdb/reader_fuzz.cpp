#include "formats/ppdb/checksum.hpp"
#include "testing/managed/ppdb_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  static volatile std::uint64_t sink = 0;
  const Bytes file = std::as_bytes(std::span(data, size));
  bool whole = false;
  if (const auto pdb = ppdb::Pdb::open(file)) {
    sink = sink + testkit::walk_everything(*pdb, whole);
    ppdb::verify_checksum(*pdb, "SHA256", {});
  } else if (const auto metadata = ppdb::Metadata::open(file)) {
    sink = sink + testkit::walk_everything(*metadata);
  }
  return 0;
}
