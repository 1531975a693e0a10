#include "base/bytes.hpp"

#include <fmt/format.h>

namespace symcached {

std::string to_string(const ReadError& error) {
  switch (error.kind) {
    case ReadError::Kind::truncated:
      return fmt::format("{}: wants {} bytes at offset {}, the input has {} there; it was cut short", error.field,
                         error.wanted, error.offset, error.found);
    case ReadError::Kind::too_large:
      return fmt::format("{}: {} at offset {} is over the limit of {}", error.field, error.found, error.offset,
                         error.wanted);
    case ReadError::Kind::unpacks_too_large:
      return fmt::format(
          "{}: unpacks to {} more bytes at offset {}; allowed for the whole file are {}, and convert --max-unpacked "
          "sets another limit",
          error.field, error.found, error.offset, error.wanted);
    case ReadError::Kind::unsupported: return std::string(error.field);
    case ReadError::Kind::bad_value: break;
  }
  if (error.wanted != 0)
    return fmt::format("{}: found {:#x} at offset {}, wanted {:#x}", error.field, error.found, error.offset,
                       error.wanted);
  return fmt::format("{}: found {:#x} at offset {}, which cannot be right", error.field, error.found, error.offset);
}

}  // namespace symcached
