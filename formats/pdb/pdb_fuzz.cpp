/// Every stream, module, record and name of a file that calls itself a PDB.
#include "testing/pdb/walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  static volatile std::uint64_t total = 0;
  if (const auto file = pdb::File::open(std::as_bytes(std::span(data, size))))
    total = total + testkit::PdbWalk(*file).total();
  return 0;
}
