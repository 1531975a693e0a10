#include "formats/macho/reader.hpp"

#include <algorithm>

#include "base/uleb_cursor.hpp"

namespace symcached::macho {
namespace {

constexpr std::endian kLittle = std::endian::little;
constexpr std::endian kBig = std::endian::big;

struct CpuName {
  Cpu cpu;
  std::uint32_t subtype;  ///< kAny: all others
  std::string_view name;
};
constexpr std::uint32_t kAny = 0xFFFFFFFF;
constexpr CpuName kCpuNames[] = {
    {Cpu::x86, kAny, "i386"},
    {Cpu::x86_64, kSubtypeX86_64h, "x86_64h"},
    {Cpu::x86_64, kAny, "x86_64"},
    {Cpu::arm, 6, "armv6"},
    {Cpu::arm, 9, "armv7"},
    {Cpu::arm, 11, "armv7s"},
    {Cpu::arm, 12, "armv7k"},
    {Cpu::arm, kAny, "arm"},
    {Cpu::arm64, kSubtypeArm64e, "arm64e"},
    {Cpu::arm64, kAny, "arm64"},
    {Cpu::arm64_32, kAny, "arm64_32"},
    {Cpu::ppc, kAny, "ppc"},
    {Cpu::ppc64, kAny, "ppc64"},
};

/// Names of segments and sections fill their 16 bytes or end at a NUL.
std::string_view name_in(Bytes record, std::size_t offset) {
  const std::string_view text = as_text(record.subspan(offset, 16));
  return text.substr(0, text.find('\0'));
}

template <std::endian O>
Header widen(const MachHeader<O>& from, bool is_64bit) {
  return {.is_64bit = is_64bit,
          .big_endian = O == kBig,
          .cpu = static_cast<Cpu>(std::uint32_t{from.cpu_type}),
          .cpu_subtype = from.cpu_subtype,
          .type = static_cast<FileType>(std::uint32_t{from.file_type}),
          .command_count = from.command_count,
          .commands_size = from.commands_size,
          .flags = from.flags};
}

}  // namespace

std::string_view cpu_name(Cpu cpu, std::uint32_t subtype) {
  for (const CpuName& row : kCpuNames)
    if (row.cpu == cpu && (row.subtype == kAny || row.subtype == (subtype & ~kSubtypeFlags))) return row.name;
  return {};
}

Symbols::Symbols(Bytes rows, Bytes strings, bool is_64bit, bool big_endian) : rows_(rows), strings_(strings) {
  using Wide = NlistRecord<kLittle, std::uint64_t>;
  using Narrow = NlistRecord<kLittle, std::uint32_t>;
  count_ = static_cast<std::uint32_t>(rows.size() / (is_64bit ? sizeof(Wide) : sizeof(Narrow)));
  if (is_64bit) read_ = big_endian ? &read<kBig, std::uint64_t> : &read<kLittle, std::uint64_t>;
  else read_ = big_endian ? &read<kBig, std::uint32_t> : &read<kLittle, std::uint32_t>;
}

template <std::endian O, class W>
Symbol Symbols::read(const Symbols& from, std::uint32_t index) {
  using Record = NlistRecord<O, W>;
  Record record;
  std::memcpy(&record, from.rows_.data() + std::size_t{index} * sizeof(Record), sizeof(Record));
  return {.name = from.name_at(record.name),
          .type = record.type,
          .section = record.section,
          .description = record.description,
          .value = record.value};
}

std::string_view Symbols::name_at(std::uint32_t offset) const {
  if (offset >= strings_.size()) return {};
  const Bytes text = strings_.subspan(offset, std::min(kMaxName, strings_.size() - offset));
  return ByteReader(text).c_string("macho.symbol.name").value_or(std::string_view());
}

Read<File> File::open(Bytes file) {
  SC_TRY(const auto magic, read_at<u32le>(file, 0, "macho.header.magic"));
  const auto is = [&](std::uint32_t wanted) {
    return magic == wanted || std::byteswap(std::uint32_t{magic}) == wanted;
  };
  if (!is(kMagic32) && !is(kMagic64)) return bad_value("macho.header.magic", 0, magic, kMagic64);
  File result;
  result.file_ = file;
  if (magic == kMagic32 || magic == kMagic64) {
    SC_TRY(const auto header, read_at<MachHeader<kLittle>>(file, 0, "macho.header"));
    result.header_ = widen(header, is(kMagic64));
  } else {
    SC_TRY(const auto header, read_at<MachHeader<kBig>>(file, 0, "macho.header"));
    result.header_ = widen(header, is(kMagic64));
  }
  const Header& h = result.header_;
  const Read<void> read = h.is_64bit ? (h.big_endian ? result.read_commands<kBig, std::uint64_t>()
                                                     : result.read_commands<kLittle, std::uint64_t>())
                                     : (h.big_endian ? result.read_commands<kBig, std::uint32_t>()
                                                     : result.read_commands<kLittle, std::uint32_t>());
  if (!read) return std::unexpected(read.error());
  return result;
}

template <std::endian O, class W>
Read<void> File::read_commands() {
  const std::uint64_t start = sizeof(MachHeader<O>) + (header_.is_64bit ? 4 : 0);
  SC_TRY(const auto commands, slice(file_, start, header_.commands_size, "macho.load_commands"));
  ByteReader in(commands, start);
  for (std::uint32_t i = 0; i < header_.command_count; ++i) {
    const std::uint64_t offset = start + in.position();
    SC_TRY(const auto head, in.read<LoadCommand<O>>("macho.load_command"));
    if (head.size < sizeof(head)) return bad_value("macho.load_command.size", offset + 4, head.size, sizeof(head));
    SC_TRY(const auto body, in.take(head.size - sizeof(head), "macho.load_command.size"));
    if (const auto read = read_command<O, W>(head.command, body, offset + sizeof(head)); !read)
      return std::unexpected(read.error());
  }
  return {};
}

template <std::endian O, class W>
Read<void> File::read_command(std::uint32_t command, Bytes body, std::uint64_t offset) {
  ByteReader in(body, offset);
  switch (static_cast<Command>(command)) {
    case Command::segment_32:
    case Command::segment_64:
      if ((static_cast<Command>(command) == Command::segment_64) != (sizeof(W) == 8))
        return bad_value("macho.load_command.segment", offset, command);
      return read_segment<O, W>(in);
    case Command::symtab: {
      SC_TRY(const auto record, in.read<SymtabRecord<O>>("macho.symtab"));
      symbol_offset_ = record.symbol_offset, symbol_count_ = record.symbol_count;
      string_offset_ = record.string_offset, string_size_ = record.string_size;
      return {};
    }
    case Command::dysymtab: {
      SC_TRY(const auto record, in.read<DysymtabRecord<O>>("macho.dysymtab"));
      indirect_offset_ = record.indirect_offset, indirect_count_ = record.indirect_count;
      return {};
    }
    case Command::dyld_info:
    case Command::dyld_info_only: {
      SC_TRY(const auto record, in.read<DyldInfoRecord<O>>("macho.dyld_info"));
      exports_offset_ = record.exports_offset, exports_size_ = record.exports_size;
      return {};
    }
    case Command::dyld_exports_trie: {
      SC_TRY(const auto record, in.read<LinkeditRecord<O>>("macho.exports_trie"));
      exports_offset_ = record.offset, exports_size_ = record.size;
      return {};
    }
    case Command::function_starts: {
      SC_TRY(const auto record, in.read<LinkeditRecord<O>>("macho.function_starts"));
      function_starts_offset_ = record.offset, function_starts_size_ = record.size;
      return {};
    }
    case Command::uuid: {
      SC_TRY(const auto bytes, in.take(16, "macho.uuid"));
      std::memcpy(uuid_.emplace().bytes.data(), bytes.data(), bytes.size());
      return {};
    }
    case Command::encryption_info_32:
    case Command::encryption_info_64: {
      SC_TRY(const auto record, in.read<EncryptionRecord<O>>("macho.encryption_info"));
      encrypted_ = record.system != 0;
      return {};
    }
    case Command::build_version: {
      SC_TRY(const auto record, in.read<BuildVersionRecord<O>>("macho.build_version"));
      build_version_ = {record.platform, record.minimum_system};
      return {};
    }
    case Command::version_min_macos:
    case Command::version_min_ios:
    case Command::version_min_tvos:
    case Command::version_min_watchos: {
      constexpr Command kByPlatform[] = {Command::version_min_macos, Command::version_min_ios,
                                         Command::version_min_tvos, Command::version_min_watchos};
      SC_TRY(const auto version, in.read<U32<O>>("macho.version_min"));
      const auto* at = std::ranges::find(kByPlatform, static_cast<Command>(command));
      build_version_ = {static_cast<std::uint32_t>(at - kByPlatform + 1), version};
      return {};
    }
    case Command::id_dylib: read_library_name<O>(body); return {};
  }
  return {};
}

template <std::endian O>
void File::read_library_name(Bytes body) {
  constexpr std::uint32_t kHead = sizeof(LoadCommand<O>);  // offsets count from the command's start
  const auto offset = read_at<U32<O>>(body, 0, "macho.id_dylib");
  if (!offset || *offset < kHead || *offset - kHead >= body.size()) return;
  const std::string_view text = as_text(body.subspan(*offset - kHead));
  library_name_ = text.substr(0, text.find('\0'));
}

template <std::endian O, class W>
Read<void> File::read_segment(ByteReader in) {
  const Bytes raw = in.rest();
  SC_TRY(const auto record, in.read<SegmentRecord<O, W>>("macho.segment"));
  const auto index = static_cast<std::uint32_t>(segments_.size());
  segments_.push_back({name_in(raw, 0), record.address, record.size, record.file_offset, record.file_size});
  if (segments_.back().name == "__TEXT" && image_base_ == 0) image_base_ = record.address;
  for (std::uint32_t i = 0; i < record.section_count; ++i) {
    const Bytes at = in.rest();
    SC_TRY(const auto section, in.read<SectionRecord<O, W>>("macho.section"));
    if (sizeof(W) == 8) {
      if (const auto read = in.skip(4, "macho.section.reserved3"); !read) return std::unexpected(read.error());
    }
    sections_.push_back({.name = name_in(at, 0),
                         .segment = name_in(at, 16),
                         .address = section.address,
                         .size = section.size,
                         .file_offset = section.file_offset,
                         .relocation_offset = section.relocation_offset,
                         .relocation_count = section.relocation_count,
                         .flags = section.flags,
                         .reserved1 = section.reserved1,
                         .reserved2 = section.reserved2,
                         .segment_index = index});
  }
  return {};
}

const SectionInfo* File::find_section(std::string_view segment, std::string_view name) const {
  const auto found = std::ranges::find_if(
      sections_, [&](const SectionInfo& section) { return section.segment == segment && section.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

Read<Bytes> File::data_of(const SectionInfo& section) const {
  if (section.is_zero_fill() || section.file_offset == 0 || segments_[section.segment_index].file_size == 0)
    return Bytes();
  return slice(file_, section.file_offset, section.size, "macho.section.data");
}

Read<Symbols> File::symbols() const {
  if (symbol_count_ == 0) return Symbols();
  const std::uint64_t row =
      header_.is_64bit ? sizeof(NlistRecord<kLittle, std::uint64_t>) : sizeof(NlistRecord<kLittle, std::uint32_t>);
  SC_TRY(const auto rows, slice(file_, symbol_offset_, symbol_count_ * row, "macho.symtab.symbols"));
  SC_TRY(const auto strings, slice(file_, string_offset_, string_size_, "macho.symtab.strings"));
  return Symbols(rows, strings, header_.is_64bit, header_.big_endian);
}

Read<Bytes> File::exports_trie() const {
  if (exports_size_ == 0) return Bytes();
  return slice(file_, exports_offset_, exports_size_, "macho.exports_trie");
}

Read<std::vector<std::uint64_t>> File::function_starts() const {
  std::vector<std::uint64_t> starts;
  if (function_starts_size_ == 0) return starts;
  SC_TRY(const auto data, slice(file_, function_starts_offset_, function_starts_size_, "macho.function_starts"));
  const std::uint64_t thumb_bit = header_.cpu == Cpu::arm ? 1 : 0;
  UlebCursor in(data, 0);
  std::uint64_t address = image_base_;
  while (!in.at_end()) {
    const std::uint64_t step = in.wide_number();
    if (step == 0) break;  // the end, and padding behind it
    if (step > ~address) return bad_value("macho.function_starts.step", function_starts_offset_ + in.position(), step);
    address += step;
    starts.push_back(address & ~thumb_bit);
  }
  if (in.failed()) return truncated("macho.function_starts", function_starts_offset_ + data.size(), 1, 0);
  return starts;
}

std::uint32_t File::number_at(Bytes data, std::size_t offset) const {
  std::uint32_t value = 0;
  std::memcpy(&value, data.data() + offset, sizeof(value));
  const bool swap = header_.big_endian != (std::endian::native == kBig);
  return swap ? std::byteswap(value) : value;
}

Read<std::vector<Stub>> File::stubs(const Symbols& symbols) const {
  std::vector<Stub> stubs;
  if (indirect_count_ == 0) return stubs;
  SC_TRY(const auto table, slice(file_, indirect_offset_, std::uint64_t{indirect_count_} * 4, "macho.indirect"));
  for (const SectionInfo& section : sections_) {
    if (section.type() != kSymbolStubs || section.reserved2 == 0) continue;
    const std::uint64_t count = section.size / section.reserved2;
    // Sections may overlap in a hostile file: together they cannot have more entries than the table.
    if (section.reserved1 > indirect_count_ || count > indirect_count_ - section.reserved1 ||
        count > indirect_count_ - stubs.size())
      return bad_value("macho.stubs.count", indirect_offset_, count, indirect_count_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t symbol = number_at(table, static_cast<std::size_t>(section.reserved1 + i) * 4);
      if ((symbol & (kIndirectLocal | kIndirectAbsolute)) != 0 || symbol >= symbols.size()) continue;
      stubs.push_back({section.address + i * section.reserved2, section.reserved2, symbol});
    }
  }
  return stubs;
}

Read<std::vector<Relocation>> File::relocations(const SectionInfo& section) const {
  std::vector<Relocation> all;
  const std::uint64_t size = std::uint64_t{section.relocation_count} * sizeof(RelocationRecord<kLittle>);
  SC_TRY(const auto table, slice(file_, section.relocation_offset, size, "macho.relocations"));
  for (std::size_t at = 0; at < table.size(); at += sizeof(RelocationRecord<kLittle>)) {
    const std::uint32_t address = number_at(table, at);
    const std::uint32_t info = number_at(table, at + 4);
    if ((address & 0x80000000) != 0) continue;
    const bool big = header_.big_endian;
    const std::uint32_t bits = big ? info & 0xFF : info >> 24;  // pcrel, length, extern, type
    all.push_back({.offset = address,
                   .symbol = big ? info >> 8 : info & 0xFFFFFF,
                   .bytes = static_cast<std::uint8_t>(1u << (big ? bits >> 5 & 3 : bits >> 1 & 3)),
                   .type = static_cast<std::uint8_t>(big ? bits & 15 : bits >> 4),
                   .pc_relative = (big ? bits >> 7 : bits & 1) != 0,
                   .external = ((big ? bits >> 4 : bits >> 3) & 1) != 0});
  }
  return all;
}

}  // namespace symcached::macho
