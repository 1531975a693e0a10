#pragma once
/// What the dynamic linker has loaded, by dl_iterate_phdr.
#include <link.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"

namespace symcached::pprof {

/// Code of a loaded object.
struct LoadedSegment {
  std::uintptr_t begin = 0, end = 0;  ///< whole pages
  std::uint64_t file_offset = 0;      ///< of `begin`
};

struct LoadedObject {
  std::string name;  ///< as the dynamic linker knows it; empty for the program itself, which comes first
  std::string build_id;
  std::vector<LoadedSegment> code;
};

/// In the order in which they were loaded. Reads their notes while they cannot be unloaded.
/// Cost: about 2 µs for each.
std::vector<LoadedObject> loaded_objects();

/// Calls `look` for each object while none can be unloaded, until it returns true.
void look_at_objects(const std::function<bool(const dl_phdr_info&)>& look);

/// The pages of code of one object.
std::vector<LoadedSegment> code_of(const dl_phdr_info& object);
std::string build_id_of(const dl_phdr_info& object);

/// Memory of this process that is mapped and may be read.
/// @return nothing if it cannot be after all, as of a file that was cut
std::optional<Buffer> copy_memory(std::uintptr_t address, std::size_t size);

}  // namespace symcached::pprof
