#pragma once
/// What a source bundle says of the file it was made for. docs/formats/wrappers.md
#include "object/common/file_info.hpp"

namespace symcached::object {

void describe_source_bundle(FileInfo& info, Bytes file);

}  // namespace symcached::object
