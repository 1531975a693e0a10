#pragma once
/// profile.proto (https://github.com/google/pprof/blob/main/proto/profile.proto): the format of pprof, with names,
/// files, lines and inlined calls in it, so that clients need neither the program nor its symbols.
#include <span>
#include <string>

#include "profiling/naming/naming.hpp"
#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

struct ProtoOptions {
  bool demangle = false;   ///< readable names; else linkage names, which pprof makes readable in its own ways
  bool allocated = false;  ///< heap: what was allocated is what clients show first; else what is in use
};

/// @param profile  scaled
/// @return the message, compressed with gzip
/// Cost: mostly that of naming each address once.
std::string proto(const Profile& profile, std::span<const MappedModule> modules, Naming& naming, ProtoOptions options);

}  // namespace symcached::pprof
