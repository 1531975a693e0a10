#pragma once
/// What a Mach-O file or a universal one says of itself.
#include "object/common/file_info.hpp"

namespace symcached::object {

/// A universal file is described as its chosen slice, with all slices listed.
/// Cost: load commands, and one pass over the symbols.
void describe_macho(FileInfo& info, Bytes file);

}  // namespace symcached::object
