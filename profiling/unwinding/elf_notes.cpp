#include "profiling/unwinding/elf_notes.hpp"

#include <link.h>

#include <algorithm>

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxBuildId = 64;  ///< bytes
constexpr unsigned kMaxSegments = 64;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace

Bytes build_id_among(Bytes notes, std::uint64_t alignment) {
  const std::uint64_t unit = alignment == 8 ? 8 : 4;
  for (std::uint64_t at = 0; const auto note = elf_record<ElfW(Nhdr)>(notes, at);) {
    const std::uint64_t name = at + sizeof(*note);
    const std::uint64_t content = rounded_up(name + note->n_namesz, unit);
    if (content > notes.size() || note->n_descsz > notes.size() - content) break;
    const auto found = notes.subspan(static_cast<std::size_t>(content), note->n_descsz);
    const bool is_gnu = note->n_namesz == 4 && as_text(notes).substr(name, 4) == std::string_view("GNU\0", 4);
    if (is_gnu && note->n_type == NT_GNU_BUILD_ID && !found.empty() && found.size() <= kMaxBuildId) return found;
    at = rounded_up(content + note->n_descsz, unit);
  }
  return {};
}

Bytes build_id_in(Bytes start) {
  const auto header = elf_record<ElfW(Ehdr)>(start, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)))
    return {};
  std::optional<std::uint64_t> in_file;  // bytes of the first segment
  for (unsigned i = 0; i < header->e_phnum && i < kMaxSegments; ++i) {
    const auto segment = elf_record<ElfW(Phdr)>(start, header->e_phoff + i * sizeof(ElfW(Phdr)));
    if (!segment) return {};
    if (segment->p_type == PT_LOAD && !in_file) {
      if (segment->p_offset != 0) return {};
      in_file = segment->p_filesz;
    }
    if (segment->p_type != PT_NOTE) continue;
    // What is in the first segment has the same offset there as in the file.
    const std::uint64_t at = segment->p_offset, size = segment->p_filesz;
    const std::uint64_t mapped = std::min<std::uint64_t>(start.size(), in_file.value_or(start.size()));
    if (at > mapped || size > mapped - at) continue;
    const Bytes notes = start.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    if (const Bytes id = build_id_among(notes, segment->p_align); !id.empty()) return id;
  }
  return {};
}

}  // namespace symcached::pprof
