#pragma once
/// What a Breakpad symbol file says of itself.
#include <optional>
#include <string_view>

#include "object/common/file_info.hpp"

namespace symcached::object {

void describe_breakpad(FileInfo& info, Bytes file);

/// The id of a MODULE record: a GUID's 32 hex digits, with the age in hex behind them if there is one.
/// @return nothing for ids of other shapes, as very old PDBs have them
std::optional<DebugId> debug_id_of_breakpad(std::string_view id);
/// Of the word in a MODULE record: "x86_64", "arm64e".
model::Arch arch_of_breakpad(std::string_view arch);

}  // namespace symcached::object
