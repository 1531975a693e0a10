#pragma once
/// What a worker process gives up for good before it sees a byte from outside. Private to `worker/`.
#include <string>

namespace symcached::worker {

/// No new files, no network, no processes or threads, no core dump, no privileges: Landlock, seccomp and limits, as far
/// as this kernel has them. Under a sanitizer, whose runtime needs more, only the limits are set.
/// @return what could not be given up, in one line; empty if all was
std::string give_up_rights();

}  // namespace symcached::worker
