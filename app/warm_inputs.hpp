#pragma once
/// The modules that the inputs of `symcached cache warm` name.
#include <string>
#include <vector>

#include "object/common/file_info.hpp"
#include "sources/module_ids.hpp"

namespace symcached::app {

struct WarmInputs {
  std::vector<sources::ModuleIds> modules = {};
  std::vector<std::string> errors = {};    ///< inputs that could not be read
  std::vector<std::string> warnings = {};  ///< lines of lists that are no modules
};

/// @param inputs  as in WarmOptions. Of a directory every file below it that is a debug file or program; symbolic links
///                to directories are not followed.
WarmInputs read_warm_inputs(const std::vector<std::string>& inputs);

/// What a file says of the module it belongs to. @param name  of the file
sources::ModuleIds module_of(const object::FileInfo& info, const std::string& name);

}  // namespace symcached::app
