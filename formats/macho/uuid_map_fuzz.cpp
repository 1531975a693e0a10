/// A property list that names another UUID.
#include "formats/macho/uuid_map.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  [[maybe_unused]] const auto uuid = macho::read_original_uuid(std::as_bytes(std::span(data, size)));
  return 0;
}
