#pragma once
/// What ELF files say of themselves.
#include "object/common/file_info.hpp"

namespace symcached::object {

/// Links are the debug file (with this file's own debug_id) and the file that dwz moved common parts to.
/// Cost: the header tables, the notes, and without a build id a page of code.
void describe_elf(FileInfo& info, Bytes file);

}  // namespace symcached::object
