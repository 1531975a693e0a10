#pragma once
/// A file that this process fetched, on its way to a worker and back.
#include <expected>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "fetch/unpack.hpp"
#include "worker/pool.hpp"

namespace symcached::service {

/// Opened anew, for reading alone: `file` may be an entry that is being written.
std::expected<std::shared_ptr<const Descriptor>, fetch::FileError> reopen(int file);

/// The note of a job that read one file. A file that a worker dies of, or that changes meanwhile, is a bad one.
std::expected<std::string, fetch::FileError> note_of(const worker::Result& result);

}  // namespace symcached::service
