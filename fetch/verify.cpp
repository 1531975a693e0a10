#include "fetch/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.hpp"
#include "formats/pe/reader.hpp"
#include "formats/ppdb/checksum.hpp"

namespace symcached::fetch {
namespace {

using Verdict = std::expected<std::string, std::string>;

std::unexpected<std::string> unreadable(const ReadError& error) {
  return std::unexpected("cannot be read: " + to_string(error));
}

Verdict verify_checksums(const ppdb::Pdb& pdb, std::span<const Checksum> checksums) {
  std::string note = checksums.size() > kMaxChecksums ? fmt::format("of {} checksums, only the first {} were compared",
                                                                    checksums.size(), kMaxChecksums)
                                                      : "";
  for (const Checksum& checksum : checksums.first(std::min(checksums.size(), kMaxChecksums))) {
    switch (ppdb::verify_checksum(pdb, checksum.algorithm, checksum.digest)) {
      case ppdb::ChecksumResult::equal: break;
      case ppdb::ChecksumResult::different:
        return std::unexpected(fmt::format("{} checksum differs from the assembly's", checksum.algorithm));
      case ppdb::ChecksumResult::unknown_algorithm: note = "a checksum was not compared: unknown algorithm"; break;
    }
  }
  return note;
}

Verdict verify_portable(const sources::PortableId& id, std::span<const Checksum> checksums, Bytes file) {
  const auto pdb = ppdb::Pdb::open(file);
  if (!pdb) return unreadable(pdb.error());
  const DebugId found = pdb->debug_id();
  if (found.guid != id.guid || (id.stamp && found.age != *id.stamp)) {
    const std::string asked = id.stamp ? DebugId{id.guid, *id.stamp}.breakpad() : id.guid.hex_upper();
    return std::unexpected(fmt::format("id is {}, expected {}", found.breakpad(), asked));
  }
  return verify_checksums(*pdb, checksums);
}

Verdict verify_image(const sources::ImageId& id, Bytes file) {
  const auto image = pe::Image::open(file);
  if (!image) return unreadable(image.error());
  const sources::ImageId found{image->coff().timestamp, image->header().image_size};
  if (found != id)
    return std::unexpected(fmt::format("id is {}, expected {}", image->code_id(), pe_code_id(id.timestamp, id.size)));
  return std::string();
}

bool fits_header(const Checksum& checksum) {
  constexpr std::size_t kMostName = 32, kMostDigest = 128;  // bytes
  const auto is_plain = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !checksum.algorithm.empty() && checksum.algorithm.size() <= kMostName && !checksum.digest.empty() &&
         checksum.digest.size() <= kMostDigest && std::ranges::all_of(checksum.algorithm, is_plain);
}

}  // namespace

Content content_of(const sources::FileId& id) {
  return std::visit(overloaded{[](const DebugId&) { return Content::pdb; },
                               [](const sources::PortableId&) { return Content::portable_pdb; },
                               [](const sources::ImageId&) { return Content::image; }},
                    id);
}

std::expected<std::string, std::string> verify(const Wanted& wanted, Bytes file) {
  return std::visit(
      overloaded{[](const DebugId&) { return Verdict(); },
                 [&](const sources::PortableId& id) { return verify_portable(id, wanted.checksums, file); },
                 [&](const sources::ImageId& id) { return verify_image(id, file); }},
      wanted.id);
}

std::string symbol_checksum(std::span<const Checksum> checksums) {
  std::string value;
  std::size_t sent = 0;
  for (const Checksum& checksum : checksums) {
    if (!fits_header(checksum) || sent == kMaxChecksums) continue;
    value += fmt::format("{}{}:", sent++ == 0 ? "" : ";", checksum.algorithm);
    for (const std::byte b : checksum.digest) value += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  }
  return value;
}

}  // namespace symcached::fetch
