#pragma once
/// What PE images and COFF object files say of themselves.
#include "object/common/file_info.hpp"

namespace symcached::object {

void describe_pe(FileInfo& info, Bytes file);
void describe_coff(FileInfo& info, Bytes file);

}  // namespace symcached::object
