#pragma once
/// From what was sampled to what there was, and from two profiles to what changed between them.
#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// Memory and waits that were sampled stand for others that were not: a heap sample of objects of some size for as many
/// as are passed over for one that is taken, a wait for `period` waits. Other kinds are as they were.
Profile scaled(Profile profile);

/// What `after` has more than `before`; stacks with less have negative values, those with the same are left out.
/// @param before, after  scaled, of one kind
Profile difference(const Profile& before, Profile after);

}  // namespace symcached::pprof
