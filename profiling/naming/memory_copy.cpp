#include "profiling/naming/memory_copy.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "profiling/naming/elf_file.hpp"
#include "profiling/naming/loaded_objects.hpp"

namespace symcached::pprof {
namespace {

using Pieces = std::vector<MemorySource::Piece>;

constexpr std::size_t kMaxCopied = 256u << 20;  ///< of one segment

bool is_pointer(ElfW(Sxword) tag) {
  return tag == DT_SYMTAB || tag == DT_STRTAB || tag == DT_HASH || tag == DT_GNU_HASH;
}

/// glibc adds the load address to pointers here.
Buffer with_stated_addresses(const Buffer& dynamic, ElfW(Addr) load_address) {
  Buffer out(dynamic.size());
  if (dynamic.size() != 0) std::memcpy(out.data(), dynamic.bytes().data(), dynamic.size());
  for (std::size_t at = 0; auto entry = elf_record<ElfW(Dyn)>(out.bytes(), at); at += sizeof(*entry)) {
    if (!is_pointer(static_cast<ElfW(Sxword)>(entry->d_tag)) || entry->d_un.d_ptr < load_address) continue;
    entry->d_un.d_ptr -= load_address;
    std::memcpy(out.data() + at, &*entry, sizeof(*entry));
  }
  return out;
}

Pieces copy_object(const dl_phdr_info& object) {
  Pieces out;
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & p = object.dlpi_phdr[i];
    const bool is_constant = p.p_type == PT_LOAD && (p.p_flags & (PF_R | PF_W)) == PF_R;
    if ((!is_constant && p.p_type != PT_DYNAMIC) || p.p_filesz > kMaxCopied) continue;
    auto bytes = copy_memory(object.dlpi_addr + p.p_vaddr, p.p_filesz);
    if (!bytes) continue;
    out.push_back(
        {p.p_offset, p.p_type == PT_DYNAMIC ? with_stated_addresses(*bytes, object.dlpi_addr) : *std::move(bytes)});
  }
  return out;
}

}  // namespace

std::unique_ptr<MemorySource> copy_from_memory(const CodeMapping& mapping) {
  Pieces pieces;
  const MappedModule& module = mapping.module;
  if (mapping.kind == CodeMapping::Kind::vdso) {
    if (auto bytes = copy_memory(module.begin, module.end - module.begin)) pieces.push_back({0, *std::move(bytes)});
  } else if (mapping.kind == CodeMapping::Kind::file) {
    look_at_objects([&](const dl_phdr_info& object) {
      const auto code = code_of(object);
      if (std::ranges::find(code, module.begin, &LoadedSegment::begin) == code.end()) return false;
      if (build_id_of(object) == module.build_id) pieces = copy_object(object);
      return true;
    });
  }
  return pieces.empty() ? nullptr : std::make_unique<MemorySource>(std::move(pieces));
}

}  // namespace symcached::pprof
