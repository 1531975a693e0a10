#pragma once
/// Paths of Windows in stores and settings, on systems that have no drives and no servers' shares.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace symcached::sources {

/// What an operator says that paths lead to: "\\server\share" to a folder or a base URL.
struct PathMapping {
  std::string prefix;  ///< whole segments, '\' or '/', without case
  std::string target;  ///< a folder here, or http(s)://…
};
using PathMap = std::vector<PathMapping>;

/// A path below something that an operator named.
struct MappedPath {
  std::string target;
  std::string below;  ///< '/' between segments; no segment is empty, "." or ".."; may be empty
  bool operator==(const MappedPath&) const = default;
};

/// "C:\x", "c:/x", "\\server\share\x", "//server/share/x"
bool is_windows_path(std::string_view path);

/// @return nothing if no prefix fits, or if the path leads up from it. The longest prefix counts.
std::optional<MappedPath> map_path(const PathMap& map, std::string_view path);

/// A path in parts, '/' between them, '\' taken for '/'. "." parts fall away, ".." take the part before.
/// @return nothing if it leads above where it starts, or a part has a control character, a NUL or a colon
std::optional<std::string> tidy_relative(std::string_view path);

}  // namespace symcached::sources
