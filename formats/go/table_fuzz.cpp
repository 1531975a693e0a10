#include "formats/go/table.hpp"

#include "formats/go/build_info.hpp"
#include "testing/go/walk.hpp"

/// The first byte: 1 = big-endian, 2 = pointers of 4 bytes, 4 = any magic number, 8 = searched for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (size == 0) return 0;
  const Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
  const go::Container container{static_cast<std::uint8_t>((data[0] & 2) != 0 ? 4 : 8), (data[0] & 1) != 0};
  const bool any_magic = (data[0] & 4) != 0;
  (void)go::find_build_id(bytes);
  if ((data[0] & 8) != 0) {
    if (const auto table = go::find_table(bytes, container, any_magic)) testkit::walk_everything(*table);
  } else if (const auto table = go::Table::open(bytes, container, any_magic)) {
    testkit::walk_everything(*table);
  }
  return 0;
}
