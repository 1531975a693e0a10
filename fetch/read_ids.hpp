#pragma once
/// What a file states, read by way of whoever may look into hostile bytes.
#include <cstdint>
#include <expected>
#include <functional>
#include <vector>

#include "fetch/file_reader.hpp"
#include "net/task.hpp"
#include "sources/module_ids.hpp"

namespace symcached::fetch {

/// stated_ids() over `size` bytes from `offset` on. `file` stays open until the task is done; it may be open for
/// writing, too, so who hands it on opens it again for reading alone.
using ReadIds = std::function<Task<std::expected<std::vector<sources::FileRequest>, FileError>>(
    int file, std::uint64_t offset, std::uint64_t size)>;

/// In this process, for commands: a file that is cut while it is read ends it.
ReadIds read_ids_here();

}  // namespace symcached::fetch
