#include "object/elf/function_bounds.hpp"

#include <algorithm>

#include "formats/dwarf/eh_frame.hpp"

namespace symcached::object {

std::vector<CodeRange> functions_of(const elf::File& file) {
  std::vector<CodeRange> functions;
  const elf::Section* const section = file.section(".eh_frame");
  if (section == nullptr || file.type() == elf::FileType::relocatable) return functions;
  const auto data = file.contents(*section);
  if (!data) return functions;
  const elf::Layout layout = file.layout();
  const dwarf::EhFrame table{.data = *data,
                             .address = section->address,
                             .address_size = static_cast<std::uint8_t>(layout.word_size()),
                             .big_endian = layout.big_endian};
  for (const dwarf::FrameExtent& extent : dwarf::frame_extents(table))
    functions.push_back({extent.start, extent.start + std::min(extent.size, ~extent.start)});
  std::ranges::sort(functions, {}, &CodeRange::start);
  for (std::size_t i = 0; i + 1 < functions.size(); ++i)
    functions[i].end = std::min(functions[i].end, functions[i + 1].start);
  return functions;
}

}  // namespace symcached::object
