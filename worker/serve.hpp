#pragma once
/// A worker process: takes jobs from its parent until the parent is gone.
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"

namespace symcached::worker {

/// Takes the bytes of the result, in order. Throws when they pass what the job allows, or the parent is gone.
using Output = std::function<void(Bytes)>;

struct Work {
  std::string_view arguments;
  std::span<const Descriptor> files;
  const Output& output;
};

/// One kind of job. @return a note for the parent, of at most 16 KiB, or why the file is no use
using Handler = std::function<std::expected<std::string, std::string>(const Work&)>;
using Handlers = std::map<std::uint32_t, Handler>;  ///< by the kind of job

inline constexpr int kChannel = 3;  ///< the descriptor a worker finds its parent's socket at

/// Gives up all rights but memory and processor time, then works. @return the exit status of the process
int serve(int channel, const Handlers& handlers);

}  // namespace symcached::worker
