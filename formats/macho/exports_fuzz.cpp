#include "formats/macho/exports.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] const auto exports = symcached::macho::read_exports(std::as_bytes(std::span(data, size)));
  return 0;
}
