#include "traces/local/geometry.hpp"

#include <algorithm>

#include "formats/elf/reader.hpp"
#include "object/translate.hpp"

namespace symcached::traces {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

Geometry Geometry::of(Bytes bytes) {
  Geometry geometry;
  const auto file = elf::File::open(bytes);
  if (!file) {
    geometry.image_base_ = geometry.lowest_ = object::stated_image_base(bytes).value_or(0);
    return geometry;
  }
  geometry.image_base_ = file->image_base();
  geometry.lowest_ = geometry.image_base_ & ~(kPage - 1);
  geometry.is_fixed_ = file->type() == elf::FileType::executable;
  for (const elf::Segment& segment : file->segments()) {
    if (segment.type != elf::kSegmentLoad) continue;
    const bool is_code = (segment.flags & elf::kSegmentExecutable) != 0;
    geometry.segments_.push_back({segment.offset, segment.address, segment.file_size, segment.memory_size, is_code});
    if (is_code && segment.file_size != 0) geometry.has_file_offsets_ = true;
  }
  std::ranges::stable_sort(geometry.segments_, std::ranges::greater(), &Segment::is_code);
  for (const elf::AddressRange& range : file->code_ranges())
    if (range.start >= geometry.image_base_)
      geometry.code_.push_back({range.start - geometry.image_base_, range.end - geometry.image_base_});
  std::ranges::sort(geometry.code_, {}, &Range::start);
  return geometry;
}

std::optional<std::uint64_t> Geometry::link_of_file_offset(std::uint64_t offset) const {
  for (const Segment& segment : segments_)
    if (offset >= segment.offset && offset - segment.offset < segment.file_size)
      return offset - segment.offset + segment.address;
  return std::nullopt;
}

std::optional<model::Rva> Geometry::rva_of(NumberKind kind, std::uint64_t value) const {
  std::optional<std::uint64_t> link;
  if (kind == NumberKind::link) link = value;
  else if (kind == NumberKind::image) link = value + lowest_;
  else if (kind == NumberKind::file) link = link_of_file_offset(value);
  if (!link || *link < image_base_) return std::nullopt;
  return model::Rva{*link - image_base_};
}

bool Geometry::is_code(std::uint64_t link) const {
  return std::ranges::any_of(segments_, [&](const Segment& segment) {
    return segment.is_code && link >= segment.address && link - segment.address < segment.memory_size;
  });
}

}  // namespace symcached::traces
