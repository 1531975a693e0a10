#include "base/bytes.hpp"

#include <fmt/format.h>

namespace symcached {

std::string to_string(const ReadError& error) {
  const auto say = [&](const std::string& problem) {
    return fmt::format("{} ({} at offset {})", problem, error.field, error.offset);
  };
  switch (error.kind) {
    case ReadError::Kind::truncated: return say(fmt::format("truncated: {} of {} bytes", error.found, error.wanted));
    case ReadError::Kind::too_large:
      return say(fmt::format("too large: {}, the limit is {}", error.found, error.wanted));
    case ReadError::Kind::unpacks_too_large:
      return say(
          fmt::format("decompresses to {} more bytes, over the limit of {} for the whole file; set another limit "
                      "with convert --max-unpacked",
                      error.found, error.wanted));
    case ReadError::Kind::unsupported: return std::string(error.field);
    case ReadError::Kind::bad_value: break;
  }
  if (error.wanted != 0) return say(fmt::format("malformed: {:#x}, expected {:#x}", error.found, error.wanted));
  return say(fmt::format("malformed: {:#x}", error.found));
}

}  // namespace symcached
