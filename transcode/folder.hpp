#pragma once
/// One folder of a directory that others write to, read without following links. Private to `transcode/`.
#include <sys/stat.h>

#include <functional>
#include <optional>

#include "base/descriptor.hpp"

namespace symcached::transcode {

/// No descriptor if there is none, or it is a link. @param parent  AT_FDCWD, or an open folder
Descriptor open_folder(int parent, const char* name);

/// Calls `visit` with every name but those that begin with a dot; what the name stands for is left to the caller.
/// @return false if it cannot be read, or not to the end
bool read_folder(int folder, const std::function<void(const char* name)>& visit);

/// Of what the name itself stands for: links are not followed. Nothing if it is not there.
std::optional<struct stat> look_at(int folder, const char* name);

}  // namespace symcached::transcode
