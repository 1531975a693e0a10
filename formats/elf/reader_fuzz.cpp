#include "formats/elf/reader.hpp"

#include "testing/elf/walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (const auto file = elf::File::open(std::as_bytes(std::span(data, size)))) testkit::walk_everything(*file);
  return 0;
}
