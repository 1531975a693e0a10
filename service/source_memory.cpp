#include "service/source_memory.hpp"

#include <fmt/format.h>

#include "base/hex.hpp"
#include "base/overloaded.hpp"
#include "service/verdicts.hpp"
#include "store/store.hpp"

namespace symcached::service {
namespace {

/// Whether it would be the same of another type of file at the same place.
bool is_of_any_type(const store::Negative& verdict) {
  return std::visit(
      overloaded{[](const store::Malformed&) { return false; }, [](const store::Unsupported&) { return false; },
                 [](const store::Crashed&) { return false; }, [](const auto&) { return true; }},
      verdict);
}

std::string name_of_place(const fetch::Source& source, const std::string& place, const fetch::Wanted& wanted) {
  return SourceMemory::name_of(source, place + checksum_text(wanted.file.module.checksums));
}

}  // namespace

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

std::optional<store::Negative> SourceMemory::find_by_places(fetch::Source& source, const fetch::Wanted& wanted) {
  if (source.is_local()) return std::nullopt;
  std::optional<store::Negative> all;
  for (const std::string& place : source.places(wanted)) {
    auto verdict = of_places_.find(name_of_place(source, place, wanted));
    if (!verdict || retry_at(*verdict) <= store::Store::now()) return std::nullopt;
    if (!all || std::holds_alternative<store::Absent>(*all)) all = std::move(verdict);
  }
  return all;
}

void SourceMemory::put_place(const fetch::Source& source, const std::string& place, const fetch::Wanted& wanted,
                             const store::Negative& verdict) {
  if (!source.is_local() && is_of_any_type(verdict)) of_places_.put(name_of_place(source, place, wanted), verdict);
}

void SourceMemory::drop(fetch::Source& source, const fetch::Wanted& wanted) {
  verdicts_.drop(name_of(source, wanted));
  for (const std::string& place : source.places(wanted)) of_places_.drop(name_of_place(source, place, wanted));
}

}  // namespace symcached::service
