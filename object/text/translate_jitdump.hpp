#pragma once
/// jit-PID.dump: the functions a just-in-time compiler made, with their lines: docs/formats/jitdump.md.
/// Binary, but of the kin of perf maps.
#include "object/common/file_info.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// Cost: reads all records' headers.
void describe_jitdump(FileInfo& info, Bytes file);

/// Addresses are those of the process: the image base is 0. Code that was later overwritten or moved away is left out.
/// A file that ends inside a record, as it does when its process is killed, is read up to there.
/// Cost: one pass; memory for the functions, and for each line about 40 bytes.
Read<void> translate_jitdump(const Original& original, model::ModuleSink& sink);

}  // namespace symcached::object
