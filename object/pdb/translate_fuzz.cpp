/// A whole PDB to the model.
#include "object/pdb/translate.hpp"

#include "testing/checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  symcached::testkit::CheckingSink sink;
  [[maybe_unused]] const auto result = symcached::object::translate_pdb(std::as_bytes(std::span(data, size)), sink);
  return 0;
}
