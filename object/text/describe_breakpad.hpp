#pragma once
/// What a Breakpad symbol file says of itself.
#include <string_view>

#include "object/common/file_info.hpp"

namespace symcached::object {

void describe_breakpad(FileInfo& info, Bytes file);

/// Of the word in a MODULE record: "x86_64", "arm64e".
model::Arch arch_of_breakpad(std::string_view arch);

}  // namespace symcached::object
