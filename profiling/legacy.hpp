#pragma once
/// The formats of gperftools, which google-pprof and `go tool pprof` read: docs/pprof.md
#include <span>
#include <string>

#include "profiling/naming/naming.hpp"
#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// What /proc/PID/maps says of code, as far as clients look at it.
/// They tell modules apart by their names, take names in brackets for no module at all, and split lines at blanks: so
/// bracketed names come out as /anon/NAME, and control characters as '?'.
std::string maps_text(std::span<const MappedModule> modules);

/// @param profile  of any kind but Kind::threads, unscaled
std::string legacy(const Profile& profile, std::span<const MappedModule> modules);

}  // namespace symcached::pprof
