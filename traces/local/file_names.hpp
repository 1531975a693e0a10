#pragma once
/// What the files of a module may be called.
#include <string>
#include <string_view>
#include <vector>

namespace symcached::traces {

/// A pattern for names of files in lower case.
struct FileName {
  std::string start;           ///< what it begins with
  bool may_have_more = false;  ///< a version behind it: ".1.2", "-6.1.0-13-amd64"
};

/// @param module  path or name as a trace has it; only its last part counts
/// @return the likeliest first; none for what is no file name
std::vector<FileName> file_names_of(std::string_view module);

/// Whether a name in lower case fits.
bool fits(const FileName& pattern, std::string_view name);

}  // namespace symcached::traces
