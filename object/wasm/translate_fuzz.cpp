/// A whole WebAssembly module to the model.
#include "object/wasm/translate.hpp"

#include "object/wasm/describe.hpp"
#include "testing/checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto bytes = std::as_bytes(std::span(data, size));
  object::FileInfo info;
  object::describe_wasm(info, bytes);
  object::needed_files_wasm(bytes, {});
  testkit::CheckingSink sink;
  [[maybe_unused]] const auto done = object::translate_wasm({.file = bytes}, sink);
  return 0;
}
