#include "service/source_memory.hpp"

#include "base/hex.hpp"

#include <fmt/format.h>

namespace symcached::service {

std::string SourceMemory::name_of(const fetch::Source& source, std::string_view key) {
  return fmt::format("{:x}\n{}\n{}\n{}", source.credentials(), source.id(), source.key(), key);
}

std::string SourceMemory::name_of(const fetch::Source& source, const fetch::Wanted& wanted) {
  return name_of(source, wanted.key + checksum_text(wanted.file.module.checksums));
}

std::string checksum_text(const std::vector<sources::Checksum>& checksums) {
  std::string text;
  for (const sources::Checksum& checksum : checksums)
    text.append(" ").append(checksum.algorithm).append(":").append(to_hex(checksum.digest));
  return text;
}

}  // namespace symcached::service
