#pragma once
/// What a WebAssembly module says of itself.
#include "object/common/file_info.hpp"

namespace symcached::object {

/// Cost: the list of sections.
void describe_wasm(FileInfo& info, Bytes file);

}  // namespace symcached::object
