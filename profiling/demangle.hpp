#pragma once
#include <string>

namespace symcached::pprof {

/// "ns::call(int)" for "_ZN2ns4callEi"; names of other kinds, and those longer than any compiler writes, as they are.
std::string readable_name(const std::string& linkage_name);

}  // namespace symcached::pprof
