#pragma once
#include <string>

namespace symcached::pprof {

/// The arguments of this process, each with a NUL behind it. Never empty: the path of the program if all else fails.
std::string own_command();

}  // namespace symcached::pprof
