#include "formats/pe/reader.hpp"

#include <algorithm>
#include <limits>

#include "formats/pe/coff_records.hpp"

namespace symcached::pe {
namespace {

/// What .NET's ready-to-run compiler combines the machine with, by exclusive or: Apple, FreeBSD, Linux, NetBSD, SunOS.
constexpr std::uint16_t kSystemMasks[] = {0x4644, 0xADC4, 0x7B79, 0x1993, 0x1992};
constexpr Machine kMachines[] = {Machine::i386,    Machine::arm,     Machine::thumb,  Machine::armnt, Machine::ia64,
                                 Machine::riscv64, Machine::arm64ec, Machine::arm64x, Machine::amd64, Machine::arm64};

constexpr bool masks_never_collide() {
  for (const Machine a : kMachines)
    for (const Machine b : kMachines)
      for (const std::uint16_t mask : kSystemMasks)
        if ((static_cast<std::uint16_t>(a) ^ mask) == static_cast<std::uint16_t>(b)) return false;
  return true;
}
static_assert(masks_never_collide(), "a masked machine reads as another plain one");

template <class Header>
ImageHeader widen(const Header& from) {
  return {.is_64bit = sizeof(Header) == sizeof(OptionalHeader64),
          .image_base = from.image_base,
          .entry_point = from.entry_point,
          .section_alignment = from.section_alignment,
          .file_alignment = from.file_alignment,
          .image_size = from.image_size,
          .headers_size = from.headers_size,
          .checksum = from.checksum,
          .subsystem = from.subsystem,
          .dll_characteristics = from.dll_characteristics};
}

}  // namespace

Machine machine_of(std::uint16_t raw) {
  const auto known = [](std::uint16_t value) {
    return std::ranges::find(kMachines, static_cast<Machine>(value)) != std::end(kMachines);
  };
  if (known(raw)) return static_cast<Machine>(raw);
  for (const std::uint16_t mask : kSystemMasks) {
    const auto plain = static_cast<std::uint16_t>(raw ^ mask);
    if (known(plain)) return static_cast<Machine>(plain);
  }
  return Machine::unknown;
}

bool is_image(Bytes file) {
  if (!as_text(file).starts_with("MZ")) return false;
  const auto dos = read_at<DosHeader>(file, 0, "pe.dos_header");
  if (!dos) return false;
  const auto signature = read_at<u32le>(file, dos->pe_offset, "pe.signature");
  return !signature || *signature == kPeSignature;
}

Read<Image> Image::open(Bytes file) {
  SC_TRY(const auto dos, read_at<DosHeader>(file, 0, "pe.dos_header"));
  if (dos.magic != kDosMagic) return bad_value("pe.dos_header.magic", 0, dos.magic, kDosMagic);
  const std::uint64_t pe_offset = dos.pe_offset;
  SC_TRY(const auto signature, read_at<u32le>(file, pe_offset, "pe.signature"));
  if (signature != kPeSignature) return bad_value("pe.signature", pe_offset, signature, kPeSignature);

  Image image;
  image.file_ = file;
  const std::uint64_t coff_offset = pe_offset + sizeof(signature);
  SC_TRY(image.coff_, read_at<CoffHeader>(file, coff_offset, "pe.coff_header"));
  const std::uint64_t optional_offset = coff_offset + sizeof(CoffHeader);
  const std::uint64_t optional_size = image.coff_.optional_header_size;
  SC_TRY(const auto optional, slice(file, optional_offset, optional_size, "pe.optional_header"));
  if (const auto read = image.read_optional_header(optional, optional_offset); !read)
    return std::unexpected(read.error());

  const std::uint64_t sections_offset = optional_offset + optional_size;
  ByteReader in(file.subspan(static_cast<std::size_t>(sections_offset)), sections_offset);
  SC_TRY(image.sections_, in.array<SectionHeader>(image.coff_.section_count, "pe.section_headers"));
  if (image.coff_.symbol_table_offset != 0) {
    const std::uint64_t symbols_size = std::uint64_t{image.coff_.symbol_count} * sizeof(SymbolRecord);
    image.strings_ = StringTable(file, image.coff_.symbol_table_offset + symbols_size);
  }
  return image;
}

Read<void> Image::read_optional_header(Bytes bytes, std::uint64_t offset) {
  SC_TRY(const auto magic, ByteReader(bytes, offset).read<u16le>("pe.optional_header.magic"));
  ByteReader in(bytes, offset);
  std::uint32_t directory_count = 0;
  if (magic == kMagicPe32Plus) {
    SC_TRY(const auto header, in.read<OptionalHeader64>("pe.optional_header"));
    header_ = widen(header);
    directory_count = header.directory_count;
  } else if (magic == kMagicPe32) {
    SC_TRY(const auto header, in.read<OptionalHeader32>("pe.optional_header"));
    header_ = widen(header);
    directory_count = header.directory_count;
  } else {
    return bad_value("pe.optional_header.magic", offset, magic, kMagicPe32Plus);
  }
  // Loaders look at the first 16 whatever the count says, so a larger count is no error.
  SC_TRY(directories_, in.array<DataDirectory>(std::min(directory_count, kMaxDirectories), "pe.data_directories"));
  return {};
}

std::optional<DataDirectory> Image::directory(Directory which) const {
  const auto index = static_cast<std::size_t>(which);
  if (index >= directories_.size() || directories_[index].size == 0) return std::nullopt;
  return directories_[index];
}

Read<Bytes> Image::section_data(const SectionHeader& section, std::string_view field) const {
  const Extent extent = backed(section);
  return slice(file_, extent.offset, extent.size, field);
}

const SectionHeader* Image::find_section(std::string_view name) const {
  const auto found =
      std::ranges::find_if(sections_, [&](const SectionHeader& section) { return section_name(section) == name; });
  return found == sections_.end() ? nullptr : &*found;
}

/// Raw bytes past virtual_size are padding and not mapped.
std::uint32_t Image::backed_size(const SectionHeader& section) {
  const std::uint32_t raw = section.raw_size;
  return section.virtual_size == 0 ? raw : std::min<std::uint32_t>(raw, section.virtual_size);
}

Image::Extent Image::backed(const SectionHeader& section) {
  return {section.raw_offset, section.rva, backed_size(section)};
}

std::optional<Image::Extent> Image::extent_at(std::uint32_t rva) const {
  for (const SectionHeader& section : sections_) {
    const Extent extent = backed(section);
    if (rva >= extent.rva && rva - extent.rva < extent.size) return extent;
  }
  if (rva < header_.headers_size) return Extent{0, 0, header_.headers_size};
  return std::nullopt;
}

std::optional<std::uint64_t> Image::offset_of(std::uint32_t rva) const {
  const auto extent = extent_at(rva);
  if (!extent) return std::nullopt;
  const std::uint64_t offset = extent->offset + (rva - extent->rva);
  return offset < file_.size() ? std::optional(offset) : std::nullopt;
}

std::optional<std::uint32_t> Image::rva_of(std::uint64_t offset) const {
  if (offset >= file_.size()) return std::nullopt;
  for (const SectionHeader& section : sections_) {
    const Extent extent = backed(section);
    if (offset < extent.offset || offset - extent.offset >= extent.size) continue;
    const std::uint64_t rva = extent.rva + (offset - extent.offset);
    return rva > std::numeric_limits<std::uint32_t>::max() ? std::nullopt
                                                           : std::optional(static_cast<std::uint32_t>(rva));
  }
  if (offset < header_.headers_size) return static_cast<std::uint32_t>(offset);
  return std::nullopt;
}

Read<Bytes> Image::at_rva(std::uint32_t rva, std::uint32_t size, std::string_view field) const {
  const auto extent = extent_at(rva);
  if (!extent) return bad_value(field, 0, rva);
  const std::uint32_t into = rva - extent->rva;
  if (size > extent->size - into) return truncated(field, extent->offset + into, size, extent->size - into);
  return slice(file_, extent->offset + into, size, field);
}

Read<std::span<const DebugEntryRecord>> Image::debug_entries() const {
  const auto where = directory(Directory::debug);
  if (!where) return std::span<const DebugEntryRecord>();
  const std::uint32_t count = where->size / sizeof(DebugEntryRecord);
  if (count > kMaxDebugEntries)
    return too_large("pe.debug_directory.size", offset_of(where->rva).value_or(0), count, kMaxDebugEntries);
  if (count == 0) return std::span<const DebugEntryRecord>();
  const auto size = static_cast<std::uint32_t>(count * sizeof(DebugEntryRecord));
  SC_TRY(const auto bytes, at_rva(where->rva, size, "pe.debug_directory"));
  return ByteReader(bytes).array<DebugEntryRecord>(count, "pe.debug_directory");
}

Read<Bytes> Image::data_of(const DebugEntryRecord& entry) const {
  if (entry.data_size == 0) return Bytes();
  if (entry.data_offset != 0) return slice(file_, entry.data_offset, entry.data_size, "pe.debug_entry.data");
  return at_rva(entry.data_rva, entry.data_size, "pe.debug_entry.data");
}

Read<std::optional<CodeView>> Image::code_view(const DebugEntryRecord& entry) const {
  if (static_cast<DebugType>(std::uint32_t{entry.type}) != DebugType::codeview) return std::nullopt;
  if (entry.data_size > kMaxCodeViewSize)
    return too_large("pe.codeview.size", entry.data_offset, entry.data_size, kMaxCodeViewSize);
  SC_TRY(const auto data, data_of(entry));
  SC_TRY(const auto signature, read_at<u32le>(data, 0, "pe.codeview.signature"));

  CodeView view;
  ByteReader in(data, static_cast<std::uint64_t>(data.data() - file_.data()));
  if (signature == kRsds) {
    SC_TRY(const auto record, in.read<RsdsRecord>("pe.codeview.rsds"));
    view.guid = Guid::from_windows(record.guid);
    view.age = record.age;
    view.timestamp = entry.timestamp;
    view.portable = entry.minor_version == kPortableMinor;
  } else if (signature == kNb10) {
    SC_TRY(const auto record, in.read<Nb10Record>("pe.codeview.nb10"));
    view.format = CodeView::Format::nb10;
    view.age = record.age;
    view.timestamp = record.timestamp;
  } else {
    return std::nullopt;  // NB09, NB11: symbols inside the image itself; others: not ours
  }
  view.debug_file = up_to_nul(as_text(in.rest()));  // some producers leave the NUL out
  return view;
}

}  // namespace symcached::pe
