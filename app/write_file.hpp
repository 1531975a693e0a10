#pragma once
/// A file that a command leaves behind.
#include <expected>
#include <filesystem>
#include <string>

#include "base/bytes.hpp"

namespace symcached::app {

/// Writes beside the target and renames, so that a reader never sees half a file. @return a sentence if it cannot
std::expected<void, std::string> write_file(const std::filesystem::path& path, Bytes bytes);

}  // namespace symcached::app
