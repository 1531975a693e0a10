#include "formats/pe/rva_index.hpp"

#include <algorithm>

namespace symcached::pe {

RvaIndex::RvaIndex(const Image& image) {
  const Bytes file = image.file();
  const auto add = [&](std::uint32_t rva, std::uint64_t offset, std::uint64_t size) {
    if (offset < file.size() && size != 0)
      runs_.push_back({rva, file.subspan(static_cast<std::size_t>(offset))
                                .first(static_cast<std::size_t>(std::min<std::uint64_t>(size, file.size() - offset)))});
  };
  add(0, 0, image.header().headers_size);
  for (const SectionHeader& section : image.sections())
    add(section.rva, section.raw_offset, Image::backed_size(section));
  std::ranges::stable_sort(runs_, {}, &Run::rva);
}

Bytes RvaIndex::from(std::uint32_t rva) const {
  const auto after = std::ranges::upper_bound(runs_, rva, {}, &Run::rva);
  if (after == runs_.begin()) return {};
  const Run& run = *std::prev(after);
  const std::uint32_t into = rva - run.rva;
  return into < run.bytes.size() ? run.bytes.subspan(into) : Bytes();
}

Read<Bytes> RvaIndex::at(std::uint32_t rva, std::uint64_t size, std::string_view field) const {
  const Bytes rest = from(rva);
  if (size > rest.size())
    return rest.empty() ? Read<Bytes>(bad_value(field, 0, rva)) : truncated(field, rva, size, rest.size());
  return rest.first(static_cast<std::size_t>(size));
}

}  // namespace symcached::pe
