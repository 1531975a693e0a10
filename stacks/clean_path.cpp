#include "stacks/clean_path.hpp"

#include <algorithm>

namespace symcached::stacks {
namespace {

constexpr std::string_view kSeparators = "/\\";

bool is_separator(char c) { return c == '/' || c == '\\'; }

/// Whether a part may be `.` or `..`: rarely true of others.
bool may_have_dots(std::string_view path) {
  for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1))
    if (dot == 0 || is_separator(path[dot - 1])) return true;
  return false;
}

/// Takes the last part off, with the separator before it. False: there is none that could go.
bool drop_last(std::string& out, std::size_t root) {
  if (out.size() <= root) return false;
  const std::size_t separator = out.find_last_of(kSeparators);
  const std::size_t start = separator == out.npos || separator < root ? root : separator + 1;
  if (std::string_view(out).substr(start) == "..") return false;
  out.resize(separator == out.npos || separator < root ? root : separator);
  return true;
}

}  // namespace

std::string_view clean_path(std::string_view path, std::string& buffer) {
  if (!may_have_dots(path)) return path;
  // What no `..` leaves: "/", "C:\", "\\".
  std::size_t root = path.size() > 1 && path[1] == ':' ? 2 : 0;
  while (root < path.size() && is_separator(path[root])) ++root;
  const bool is_absolute = root > 0 && is_separator(path[root - 1]);
  buffer.assign(path.substr(0, root));
  for (std::size_t at = root; at < path.size();) {
    const std::size_t end = std::min(path.find_first_of(kSeparators, at), path.size());
    const std::string_view part = path.substr(at, end - at);
    const bool goes_up = part == ".." && (drop_last(buffer, root) || is_absolute);
    if (part != "." && !goes_up) {
      if (buffer.size() > root) buffer += path[at - 1];
      buffer += part;
    }
    at = end + 1;
  }
  return buffer;
}

}  // namespace symcached::stacks
