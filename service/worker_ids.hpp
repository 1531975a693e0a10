#pragma once
/// What fetched files and those of folders state, read by workers.
#include "fetch/read_ids.hpp"
#include "service/converter.hpp"

namespace symcached::service {

/// A file that a worker dies of, or that changes meanwhile, is one that cannot be read.
fetch::ReadIds ids_by_workers(RunJob run, LimitRules limits);

}  // namespace symcached::service
