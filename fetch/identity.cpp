#include "fetch/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace symcached::fetch {
namespace {

constexpr std::size_t kMaxValue = 150;  ///< bytes of one value; three with their names stay below kMaxIdentity

/// One word of printable ASCII.
std::string word(std::string_view value) {
  std::string out(value.substr(0, kMaxValue));
  for (char& c : out)
    if (c <= ' ' || c > '~') c = '_';
  return out;
}

void add(std::string& line, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  line += fmt::format("{}{}={}", line.empty() ? "" : " ", name, word(value));
}

std::string_view next_field(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

/// The field of the same name; empty if there is none.
std::string_view same_field(std::string_view line, std::string_view field) {
  const std::string_view name = field.substr(0, field.find('='));
  while (!line.empty()) {
    const std::string_view other = next_field(line);
    if (other.substr(0, other.find('=')) == name) return other;
  }
  return {};
}

}  // namespace

std::string identity_of(const struct stat& info) {
  return fmt::format("size={} mtime={}.{:09} inode={}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     info.st_ino);
}

std::string identity_of(const HttpHead& head) {
  std::string line;
  add(line, "length", head.length);
  add(line, "etag", head.etag);
  add(line, "last-modified", head.last_modified);
  return line;
}

bool is_changed(std::string_view before, std::string_view now) {
  while (!before.empty()) {
    const std::string_view field = next_field(before);
    const std::string_view other = same_field(now, field);
    if (!other.empty() && other != field) return true;
  }
  return false;
}

}  // namespace symcached::fetch
