#include "formats/sourcemap/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] const auto map = symcached::sourcemap::read_source_map(std::as_bytes(std::span(data, size)));
  return 0;
}
