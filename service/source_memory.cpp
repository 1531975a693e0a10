#include "service/source_memory.hpp"

#include <fmt/format.h>

namespace symcached::service {

std::string SourceMemory::name_of(const fetch::Source& source, std::string_view key) {
  return fmt::format("{:x}\n{}\n{}\n{}", source.credentials(), source.id(), source.name(), key);
}

}  // namespace symcached::service
