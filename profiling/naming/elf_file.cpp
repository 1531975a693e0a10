#include "profiling/naming/elf_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/hex.hpp"

namespace symcached::pprof {
namespace {

constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
constexpr std::uint64_t kMaxNotes = 1 << 20;  ///< bytes

bool is_ours(const ElfW(Ehdr) & header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == kClass &&
         header.e_ident[EI_DATA] == kOrder;
}

/// A table of records of <elf.h>; empty if it is not there whole or its records have another size.
template <class T>
std::vector<T> table(const ByteSource& source, std::uint64_t offset, std::size_t count, std::size_t record_size) {
  std::vector<T> out;
  if (count == 0 || record_size != sizeof(T)) return out;
  const auto bytes = source.read(offset, std::uint64_t{count} * sizeof(T));
  if (!bytes) return out;
  out.resize(count);
  std::memcpy(out.data(), bytes->bytes().data(), bytes->size());
  return out;
}

}  // namespace

std::string_view elf_text(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest = as_text(strings.subspan(static_cast<std::size_t>(offset)));
  const std::size_t end = rest.find('\0');
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

std::optional<std::uint64_t> code_address(std::span<const ElfW(Phdr)> segments, std::uint64_t file_offset) {
  // Whole pages are mapped, so that two segments may have a page of the file each: the later one holds what is asked.
  const auto page = static_cast<std::uint64_t>(::getpagesize());
  const ElfW(Phdr)* found = nullptr;
  for (const ElfW(Phdr) & p : segments) {
    if (p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0 || (p.p_offset & ~(page - 1)) > file_offset) continue;
    if (found == nullptr || p.p_offset > found->p_offset) found = &p;
  }
  if (found == nullptr) return std::nullopt;
  return file_offset - found->p_offset + found->p_vaddr;
}

std::optional<ElfFile> ElfFile::open(std::shared_ptr<const ByteSource> source) {
  if (source == nullptr) return std::nullopt;
  const auto first = source->read(0, sizeof(ElfW(Ehdr)));
  const auto header = first ? elf_record<ElfW(Ehdr)>(first->bytes(), 0) : std::nullopt;
  if (!header || !is_ours(*header)) return std::nullopt;
  ElfFile file(source);
  file.segments_ = table<ElfW(Phdr)>(*source, header->e_phoff, header->e_phnum, header->e_phentsize);
  file.read_sections(*header);
  file.read_build_id();
  return file;
}

void ElfFile::read_sections(const ElfW(Ehdr) & header) {
  const auto records = table<ElfW(Shdr)>(*source_, header.e_shoff, header.e_shnum, header.e_shentsize);
  if (header.e_shstrndx >= records.size()) return;
  const ElfW(Shdr) & of_names = records[header.e_shstrndx];
  const auto names =
      of_names.sh_type == SHT_STRTAB ? source_->read(of_names.sh_offset, of_names.sh_size) : std::nullopt;
  sections_.reserve(records.size());
  for (const ElfW(Shdr) & record : records)
    sections_.push_back({.name = std::string(names ? elf_text(names->bytes(), record.sh_name) : std::string_view()),
                         .type = record.sh_type,
                         .link = record.sh_link,
                         .flags = record.sh_flags,
                         .address = record.sh_addr,
                         .offset = record.sh_offset,
                         .size = record.sh_size});
}

void ElfFile::read_build_id() {
  const auto look = [&](std::uint64_t offset, std::uint64_t size, std::uint64_t alignment) {
    if (!build_id_.empty() || size > kMaxNotes) return;
    if (const auto notes = source_->read(offset, size)) build_id_ = to_hex(build_id_among(notes->bytes(), alignment));
  };
  // Sections first: the segments of a separate debug file point to bytes that it does not have.
  for (const ElfSection& s : sections_)
    if (s.type == SHT_NOTE) look(s.offset, s.size, s.name == ".note.gnu.property" ? 8 : 4);
  if (!sections_.empty()) return;
  for (const ElfW(Phdr) & p : segments_)
    if (p.p_type == PT_NOTE) look(p.p_offset, p.p_filesz, p.p_align);
}

const ElfSection* ElfFile::section(std::string_view name) const {
  const auto at = std::ranges::find(sections_, name, &ElfSection::name);
  return at == sections_.end() ? nullptr : &*at;
}

const ElfSection* ElfFile::section_of_type(std::uint32_t type) const {
  const auto at = std::ranges::find(sections_, type, &ElfSection::type);
  return at == sections_.end() ? nullptr : &*at;
}

std::optional<Buffer> ElfFile::read(const ElfSection& section) const {
  if (section.type == SHT_NOBITS || (section.flags & SHF_COMPRESSED) != 0) return std::nullopt;
  return source_->read(section.offset, section.size);
}

std::optional<Buffer> ElfFile::read_from_address(std::uint64_t address, std::uint64_t limit) const {
  for (const ElfW(Phdr) & p : segments_) {
    if (p.p_type != PT_LOAD || address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz) continue;
    const std::uint64_t skipped = address - p.p_vaddr;
    return source_->read(p.p_offset + skipped, std::min<std::uint64_t>(p.p_filesz - skipped, limit));
  }
  return std::nullopt;
}

const ElfW(Phdr) * ElfFile::code_segment(std::uint64_t address) const {
  for (const ElfW(Phdr) & p : segments_)
    if (p.p_type == PT_LOAD && (p.p_flags & PF_X) != 0 && address >= p.p_vaddr && address - p.p_vaddr < p.p_memsz)
      return &p;
  return nullptr;
}

std::uint64_t ElfFile::image_base() const {
  std::uint64_t lowest = ~std::uint64_t{0};
  for (const ElfW(Phdr) & p : segments_)
    if (p.p_type == PT_LOAD) lowest = std::min<std::uint64_t>(lowest, p.p_vaddr);
  return lowest == ~std::uint64_t{0} ? 0 : lowest;
}

}  // namespace symcached::pprof
