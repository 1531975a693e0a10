#pragma once
/// C++ names of every compiler but Microsoft's: LLVM's parser of the Itanium C++ ABI, with bounds around it.
#include <string>
#include <string_view>

#include "demangle/demangle.hpp"

namespace symcached::demangle {

/// Appends the text of `name`, which starts with one to four underscores and a Z.
/// @return false, with `out` as it was, for what is no such name or would pass the bounds of docs/demangling.md
bool append_itanium(std::string& out, std::string_view name, Detail detail);

}  // namespace symcached::demangle
