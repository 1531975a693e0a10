/// PDBs from the inside: the input is the streams, which the target lays out in a sound container.
#include "object/pdb/translate.hpp"
#include "testing/checking_sink.hpp"
#include "testing/pdb/msf_file.hpp"
#include "testing/pdb/stream_bundle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto streams = testkit::unpack_streams(std::as_bytes(std::span(data, size)));
  const auto file = testkit::msf_file(streams, {.scattered = size % 2 != 0});
  testkit::CheckingSink sink;
  [[maybe_unused]] const auto result = object::translate_pdb(file, sink);
  return 0;
}
