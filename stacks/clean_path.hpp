#pragma once
/// Paths as compilers put them together, made short.
#include <string>
#include <string_view>

namespace symcached::stacks {

/// Without `.` and `..` where what they lead to can be told from the text alone: "/a/b/../c.h" is "/a/c.h". Either
/// separator; nothing else changes, and no disk is asked.
/// @param buffer  for what is made; the result may be a view of it, or of `path`
/// Cost: one look at a path that is short already.
std::string_view clean_path(std::string_view path, std::string& buffer);

}  // namespace symcached::stacks
