#include "object/identify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  symcached::object::describe(std::as_bytes(std::span(data, size)));
  return 0;
}
