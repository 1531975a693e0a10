#pragma once
/// What a PDB of native code says of itself.
#include "object/common/file_info.hpp"

namespace symcached::object {

/// Cost: also the line parts of its modules, up to the first with inlined calls.
void describe_pdb(FileInfo& info, Bytes file);

}  // namespace symcached::object
