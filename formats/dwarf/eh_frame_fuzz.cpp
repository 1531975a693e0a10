#include "formats/dwarf/eh_frame.hpp"

/// The first byte chooses the layout.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  if (size == 0) return 0;
  const dwarf::EhFrame table{.data = std::as_bytes(std::span(data + 1, size - 1)),
                             .address = 0x1000,
                             .address_size = static_cast<std::uint8_t>((data[0] & 1) != 0 ? 4 : 8),
                             .big_endian = (data[0] & 2) != 0};
  volatile std::uint64_t total = 0;
  for (const dwarf::FrameExtent& extent : dwarf::frame_extents(table)) total = total + extent.start + extent.size;
  return 0;
}
