#pragma once
/// Modules whose file is not to be had, such as deleted ones: what the dynamic linker needs of them is in memory.
#include <memory>

#include "profiling/naming/byte_source.hpp"
#include "profiling/naming/modules.hpp"

namespace symcached::pprof {

/// Copies a module while it cannot be unloaded, without what can be written to. Its PT_DYNAMIC has stated addresses
/// again.
/// @return null if it is not loaded any more, or its memory cannot be read
std::unique_ptr<MemorySource> copy_from_memory(const CodeMapping& mapping);

}  // namespace symcached::pprof
