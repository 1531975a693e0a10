#pragma once
/// Records and notes of ELF files, from bytes that may be anything.
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "base/bytes.hpp"

namespace symcached::pprof {

/// One of the structs of <elf.h>, copied out; nothing if it does not lie within the bytes.
template <class T>
std::optional<T> elf_record(Bytes data, std::uint64_t offset) {
  if (offset > data.size() || sizeof(T) > data.size() - offset) return std::nullopt;
  T out;
  std::memcpy(&out, data.data() + offset, sizeof(T));
  return out;
}

/// The GNU build id among notes, 1 to 64 bytes of them; empty if it is not there.
/// @param alignment  of the notes: 4 or 8
Bytes build_id_among(Bytes notes, std::uint64_t alignment);

/// The build id of a module that is loaded, if it lies in the module's first bytes as linkers put it; empty if not.
/// @param start  from where the module's first segment is mapped, with the ELF header
Bytes build_id_in(Bytes start);

}  // namespace symcached::pprof
