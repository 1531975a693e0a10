#pragma once
/// Lists of symbols in text: System.map, /proc/kallsyms, what `nm` prints: docs/formats/symbol_list.md.
#include "object/common/file_info.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// True if the first lines are "ADDRESS TYPE NAME": the format has no magic.
bool is_symbol_list(Bytes file);

/// Cost: reads the whole file.
void describe_symbol_list(FileInfo& info, Bytes file);

/// Addresses are as stated: the image base is 0. A function reaches to the next symbol, whatever that names.
/// @return a failure for a list in which the kernel hides its addresses: all are zero
/// Cost: n log n in the lines.
Read<void> translate_symbol_list(const Original& original, model::ModuleSink& sink);

}  // namespace symcached::object
