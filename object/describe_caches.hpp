#pragma once
/// What our own caches say of the files they were made from.
#include "object/common/file_info.hpp"

namespace symcached::object {

/// Cost: functions up to the first with lines.
void describe_symcache(FileInfo& info, Bytes file);
void describe_ppdbcache(FileInfo& info, Bytes file);

}  // namespace symcached::object
