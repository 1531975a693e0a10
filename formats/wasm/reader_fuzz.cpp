#include "formats/wasm/reader.hpp"

#include "testing/wasm/walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  bool whole = false;
  if (const auto module = wasm::Module::open(std::as_bytes(std::span(data, size))))
    testkit::walk_everything(*module, whole);
  return 0;
}
