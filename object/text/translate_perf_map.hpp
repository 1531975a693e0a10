#pragma once
/// perf-PID.map: the functions a just-in-time compiler made, one `START SIZE NAME` per line: docs/formats/perf_map.md.
#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// True if the first lines are lines of a perf map: the format has no magic.
bool is_perf_map(Bytes file);

/// Addresses are those of the process: the image base is 0. Code that was later overwritten by other code is left out.
/// Lines that cannot be read are, too: compilers write while others read, and processes end in the middle of a line.
/// Cost: n log n in the lines.
Read<void> translate_perf_map(const Original& original, model::ModuleSink& sink);

}  // namespace symcached::object
