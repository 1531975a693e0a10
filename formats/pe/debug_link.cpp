#include "formats/pe/debug_link.hpp"

namespace symcached::pe {

Read<std::optional<DebugLink>> debug_link(const Image& image) {
  const SectionHeader* const section = image.find_section(".gnu_debuglink");
  if (section == nullptr) return std::nullopt;
  SC_TRY(const Bytes data, image.section_data(*section, "pe.debug_link"));
  ByteReader in(data, section->raw_offset);
  SC_TRY(const auto file, in.c_string("pe.debug_link.file"));
  if (file.empty()) return bad_value("pe.debug_link.file", section->raw_offset, 0);
  in.align(4);
  SC_TRY(const std::uint32_t crc32, in.read<u32le>("pe.debug_link.crc32"));
  return DebugLink{file, crc32};
}

}  // namespace symcached::pe
