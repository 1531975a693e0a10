#include "formats/elf/reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/hex.hpp"
#include "formats/elf/notes.hpp"

namespace symcached::elf {
namespace {

constexpr std::uint64_t kMaxAddress = std::uint64_t{1} << 48;  ///< of placed code
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 21;
constexpr std::size_t kHashedText = 4096;

Header decode_header(const std::byte* at, Layout layout) {
  Fields in(at + kIdentSize, layout);
  Header h;
  h.type = static_cast<FileType>(in.u16());
  h.machine = static_cast<Machine>(in.u16());
  in.u32();  // version
  h.entry = in.word();
  h.segments_offset = in.word();
  h.sections_offset = in.word();
  h.flags = in.u32();
  in.u16();  // size of this header
  h.segment_size = in.u16();
  h.segment_count = in.u16();
  h.section_size = in.u16();
  h.section_count = in.u16();
  h.names_index = in.u16();
  return h;
}

Section decode_section(const std::byte* at, Layout layout) {
  Fields in(at, layout);
  Section s;
  s.name_offset = in.u32();
  s.type = static_cast<SectionType>(in.u32());
  s.flags = in.word();
  s.address = in.word();
  s.offset = in.word();
  s.size = in.word();
  s.link = in.u32();
  s.info = in.u32();
  s.alignment = in.word();
  s.entry_size = in.word();
  return s;
}

Segment decode_segment(const std::byte* at, Layout layout) {
  Fields in(at, layout);
  Segment s;
  s.type = in.u32();
  if (layout.is_64bit) s.flags = in.u32();
  s.offset = in.word();
  s.address = in.word();
  in.word();  // physical address
  s.file_size = in.word();
  s.memory_size = in.word();
  if (!layout.is_64bit) s.flags = in.u32();
  s.alignment = in.word();
  return s;
}

/// `count` records of `stride` bytes at `offset`, each at least `size` bytes.
Read<Bytes> table(Bytes file, std::uint64_t offset, std::uint64_t count, std::uint64_t stride, std::size_t size,
                  std::string_view field) {
  if (stride < size) return bad_value(field, offset, stride, size);
  if (offset > file.size()) return truncated(field, offset, count * stride, 0);  // count and stride have 16 bits or…
  if (count > (file.size() - offset) / stride) return truncated(field, offset, count * stride, file.size() - offset);
  return slice(file, offset, count * stride, field);
}

}  // namespace

DebugId debug_id_of(Bytes build_id, Layout layout) {
  std::array<std::uint8_t, 16> disk{};
  std::memcpy(disk.data(), build_id.data(), std::min(build_id.size(), disk.size()));
  return {layout.big_endian ? Guid{disk} : Guid::from_windows(disk), 0};
}

Read<File> File::open(Bytes bytes) {
  File file;
  file.file_ = bytes;
  if (auto ok = file.read_header(); !ok) return std::unexpected(ok.error());
  if (auto ok = file.read_sections(); !ok) return std::unexpected(ok.error());
  if (auto ok = file.read_segments(); !ok) return std::unexpected(ok.error());
  if (file.header_.type == FileType::relocatable)
    if (auto ok = file.place_code(); !ok) return std::unexpected(ok.error());
  return file;
}

Read<void> File::read_header() {
  SC_TRY(const auto ident, slice(file_, 0, kIdentSize, "elf.e_ident"));
  SC_TRY(const auto magic, read_at<u32be>(ident, 0, "elf.e_ident.magic"));
  if (magic != kMagic) return bad_value("elf.e_ident.magic", 0, magic, kMagic);
  const auto format = static_cast<std::uint8_t>(ident[4]), order = static_cast<std::uint8_t>(ident[5]);
  if (format != 1 && format != 2) return bad_value("elf.e_ident.class", 4, format);
  if (order != 1 && order != 2) return bad_value("elf.e_ident.data", 5, order);
  layout_ = {.is_64bit = format == 2, .big_endian = order == 2};
  SC_TRY(const auto all, slice(file_, 0, Header::size(layout_), "elf.header"));
  header_ = decode_header(all.data(), layout_);
  return {};
}

/// Numbers that do not fit into the header's 16 bits stand in the null section.
Read<void> File::read_sections() {
  const Header& h = header_;
  if (h.sections_offset == 0) return {};
  const std::size_t size = Section::record_size(layout_);
  std::uint64_t count = h.section_count;
  std::uint32_t names_index = h.names_index;
  if (h.section_count == 0 || h.names_index == kIndexExtended) {
    SC_TRY(const auto first, table(file_, h.sections_offset, 1, h.section_size, size, "elf.e_shoff"));
    const Section null = decode_section(first.data(), layout_);
    if (h.section_count == 0) count = null.size;
    if (h.names_index == kIndexExtended) names_index = null.link;
  }
  if (count >= kNoSection) return too_large("elf.e_shnum", h.sections_offset, count, kNoSection - 1);
  SC_TRY(const auto all, table(file_, h.sections_offset, count, h.section_size, size, "elf.e_shoff"));
  sections_.reserve(static_cast<std::size_t>(count));
  for (std::uint32_t i = 0; i < count; ++i) {
    sections_.push_back(decode_section(all.data() + std::size_t{i} * h.section_size, layout_));
    sections_.back().index = i;
  }
  name_sections(names_index);
  return {};
}

/// A name that the string table does not hold stays empty: the rest of the file may still be good.
void File::name_sections(std::uint32_t names_index) {
  if (names_index >= sections_.size()) return;
  const auto names = contents(sections_[names_index]);
  if (!names) return;
  const std::string_view text = as_text(*names);
  for (Section& section : sections_) {
    if (section.name_offset >= text.size()) continue;
    const std::string_view from = text.substr(section.name_offset, kMaxSectionName);
    section.name = from.substr(0, from.find('\0'));
  }
}

Read<void> File::read_segments() {
  const Header& h = header_;
  if (h.segments_offset == 0) return {};
  std::uint64_t count = h.segment_count;
  if (count == kSegmentsExtended && !sections_.empty()) count = sections_[0].info;
  if (count == 0) return {};
  SC_TRY(const auto all,
         table(file_, h.segments_offset, count, h.segment_size, Segment::record_size(layout_), "elf.e_phoff"));
  segments_.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i) segments_.push_back(decode_segment(all.data() + i * h.segment_size, layout_));
  return {};
}

Read<void> File::place_code() {
  std::uint64_t next = 0;
  for (Section& section : sections_) {
    if (!section.is_code()) continue;
    const std::uint64_t alignment =
        std::has_single_bit(section.alignment) ? std::min(section.alignment, kMaxAlignment) : 1;
    next = (next + alignment - 1) & ~(alignment - 1);
    section.address = next;
    if (section.size > kMaxAddress - next) return too_large("elf.sh_size", section.index, section.size, kMaxAddress);
    next += section.size;
  }
  return {};
}

const Section* File::section(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

const Section* File::section(SectionType type) const {
  const auto found = std::ranges::find(sections_, type, &Section::type);
  return found == sections_.end() ? nullptr : &*found;
}

Read<Bytes> File::contents(const Section& section) const {
  if (section.type == SectionType::nobits || section.type == SectionType::null) return Bytes();
  return slice(file_, section.offset, section.size, "elf.section");
}

Read<Packing> File::packing(const Section& section) const {
  SC_TRY(const auto data, contents(section));
  if ((section.flags & kFlagCompressed) != 0 && section.type != SectionType::nobits) {
    const std::size_t size = layout_.is_64bit ? 24 : 12;
    if (data.size() < size) return truncated("elf.ch_type", section.offset, size, data.size());
    Fields in(data.data(), layout_);
    const std::uint32_t method = in.u32();
    if (layout_.is_64bit) in.u32();
    const std::uint64_t plain = in.word();
    if (method != 1 && method != 2) return bad_value("elf.ch_type", section.offset, method);
    return Packing{static_cast<Compression>(method), data.subspan(size), plain};
  }
  if (section.name.starts_with(".zdebug_") && as_text(data).starts_with("ZLIB")) {
    SC_TRY(const auto plain, read_at<u64be>(data, 4, "elf.zdebug.size"));
    return Packing{Compression::zlib, data.subspan(12), plain};
  }
  return Packing{Compression::none, data, data.size()};
}

std::uint64_t File::image_base() const {
  if (header_.type == FileType::relocatable) return 0;
  std::optional<std::uint64_t> lowest;
  for (const Segment& segment : segments_)
    if (segment.type == kSegmentLoad && segment.address < lowest.value_or(~std::uint64_t{0})) lowest = segment.address;
  return lowest.value_or(0);
}

std::vector<AddressRange> File::code_ranges() const {
  std::vector<AddressRange> ranges;
  const auto add = [&](std::uint64_t start, std::uint64_t size) {
    ranges.push_back({start, start + std::min(size, ~start)});
  };
  for (const Section& section : sections_)
    if (section.is_code()) add(section.address, section.size);
  if (!ranges.empty()) return ranges;
  for (const Segment& segment : segments_)
    if (segment.type == kSegmentLoad && (segment.flags & kSegmentExecutable) != 0 && segment.memory_size != 0)
      add(segment.address, segment.memory_size);
  return ranges;
}

Bytes File::build_id() const { return find_build_id(*this); }

std::string File::code_id() const { return to_hex(build_id()); }

std::optional<DebugId> File::debug_id() const {
  if (const Bytes id = build_id(); !id.empty()) return debug_id_of(id, layout_);
  const Section* text = section(".text");
  if (text == nullptr) return std::nullopt;
  const auto code = contents(*text);
  if (!code || code->empty()) return std::nullopt;
  std::array<std::uint8_t, 16> folded{};
  for (std::size_t i = 0; i < code->size() && i < kHashedText; ++i)
    folded[i % folded.size()] ^= static_cast<std::uint8_t>((*code)[i]);
  return debug_id_of(std::as_bytes(std::span(folded)), layout_);
}

std::optional<DebugLink> File::debug_link() const {
  const Section* found = section(".gnu_debuglink");
  if (found == nullptr) return std::nullopt;
  const auto data = contents(*found);
  if (!data) return std::nullopt;
  ByteReader in(*data);
  const auto name = in.c_string("elf.gnu_debuglink.file");
  in.align(4);
  const auto crc = in.take(4, "elf.gnu_debuglink.crc32");
  if (!name || !crc || name->empty()) return std::nullopt;
  return DebugLink{*name, layout_.load<std::uint32_t>(crc->data())};
}

std::optional<AltLink> File::alt_link() const {
  const Section* found = section(".gnu_debugaltlink");
  if (found == nullptr) return std::nullopt;
  const auto data = contents(*found);
  if (!data) return std::nullopt;
  ByteReader in(*data);
  const auto name = in.c_string("elf.gnu_debugaltlink.file");
  if (!name || name->empty()) return std::nullopt;
  return AltLink{*name, in.rest()};
}

}  // namespace symcached::elf
