#pragma once
/// Names that compilers make, led back to what a person wrote. No metadata is needed: the name says it.
#include <string>
#include <string_view>
#include <vector>

namespace symcached::ppdb {

/// @param types   from the outermost to the innermost, without namespace, with or without "`1"
/// @param method  in the innermost one
/// @return  the parts that a person wrote: {"Program", "Main", "<lambda>"} for Program.<>c.<Main>b__0_0
/// Cost: linear in the names' length.
std::vector<std::string> written_parts(const std::vector<std::string>& types, std::string_view method);

}  // namespace symcached::ppdb
