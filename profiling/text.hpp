#pragma once
/// A profile for eyes: `?debug=1`.
#include <span>
#include <string>

#include "profiling/naming/naming.hpp"
#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// Sums, then each stack, the largest first, its functions with files and lines, the innermost first.
/// @param profile  scaled
std::string profile_text(const Profile& profile, std::span<const MappedModule> modules, Naming& naming);

}  // namespace symcached::pprof
