#pragma once
#include <string>

#include "base/bytes.hpp"

namespace symcached::pprof {

/// One member, without a time or a name: the same bytes for the same input.
/// Throws std::bad_alloc.
std::string gzip(Bytes plain);

}  // namespace symcached::pprof
