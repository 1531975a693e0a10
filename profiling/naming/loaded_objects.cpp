#include "profiling/naming/loaded_objects.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "base/hex.hpp"
#include "profiling/naming/elf_file.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxNoteBytes = 64 << 10;
constexpr std::size_t kMaxObjects = 16384;

std::span<const ElfW(Phdr)> segments_of(const dl_phdr_info& object) { return {object.dlpi_phdr, object.dlpi_phnum}; }

}  // namespace

void look_at_objects(const std::function<bool(const dl_phdr_info&)>& look) {
  const auto call = [](dl_phdr_info* object, std::size_t, void* to) {
    return (*static_cast<const std::function<bool(const dl_phdr_info&)>*>(to))(*object) ? 1 : 0;
  };
  ::dl_iterate_phdr(call, const_cast<std::function<bool(const dl_phdr_info&)>*>(&look));
}

std::vector<LoadedSegment> code_of(const dl_phdr_info& object) {
  const auto page = static_cast<std::uintptr_t>(::getpagesize());
  std::vector<LoadedSegment> out;
  for (const ElfW(Phdr) & p : segments_of(object)) {
    if (p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0 || p.p_memsz == 0) continue;
    const std::uintptr_t begin = object.dlpi_addr + p.p_vaddr, end = begin + p.p_memsz;
    out.push_back({begin & ~(page - 1), (end + page - 1) & ~(page - 1), p.p_offset & ~std::uint64_t{page - 1}});
  }
  return out;
}

std::string build_id_of(const dl_phdr_info& object) {
  for (const ElfW(Phdr) & p : segments_of(object)) {
    if (p.p_type != PT_NOTE || p.p_memsz > kMaxNoteBytes) continue;
    const auto notes = copy_memory(object.dlpi_addr + p.p_vaddr, p.p_memsz);
    std::string id = notes ? to_hex(build_id_among(notes->bytes(), p.p_align)) : std::string();
    if (!id.empty()) return id;
  }
  return {};
}

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> out;
  look_at_objects([&](const dl_phdr_info& object) {
    out.push_back({object.dlpi_name == nullptr ? "" : object.dlpi_name, build_id_of(object), code_of(object)});
    return out.size() == kMaxObjects;
  });
  return out;
}

std::optional<Buffer> copy_memory(std::uintptr_t address, std::size_t size) {
  Buffer out(size);
  const iovec from{reinterpret_cast<void*>(address), size};
  const iovec to{out.data(), size};
  if (::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(size)) return out;
  if (errno != EPERM && errno != ENOSYS) return std::nullopt;
  std::memcpy(out.data(), from.iov_base, size);  // containers may forbid the call, which only spares us a SIGBUS
  return out;
}

}  // namespace symcached::pprof
