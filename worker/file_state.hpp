#pragma once
/// Whether a file was changed while somebody read it. Private to `worker/`.
#include <span>
#include <string>
#include <vector>

#include "worker/pool.hpp"

namespace symcached::worker {

struct FileState {
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileState&) const = default;
};

/// Of each input, as it is now; times of those that may be touched are left out.
std::vector<FileState> states_of(std::span<const Input> inputs);

/// What changed since `before`, or nothing: "size went from 5369856 to 4096 bytes".
std::string change_since(std::span<const FileState> before, std::span<const Input> inputs);

}  // namespace symcached::worker
