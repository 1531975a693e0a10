#pragma once
/// Paths as other machines recorded them: text, whatever the system here.
#include <string_view>

namespace symcached {

/// The part behind the last separator: compilers and linkers on Windows record backslashes. All of it if there is none.
constexpr std::string_view last_path_part(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
}

}  // namespace symcached
