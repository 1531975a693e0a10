#include "fetch/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "fetch/stated_ids.hpp"
#include "formats/ppdb/checksum.hpp"

namespace symcached::fetch {
namespace {

using sources::FileType;
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
      case ppdb::ChecksumResult::other_size:
        note = fmt::format("a checksum was not compared: {} has another length", checksum.algorithm);
        break;
    }
  }
  return note;
}

/// The ids that were asked for, or those that a file states, for messages.
std::string id_text(const sources::FileRequest& file) {
  const sources::ModuleIds& module = file.module;
  if (file.type == sources::FileType::pe) {
    const sources::ImageId image = module.image().value_or(sources::ImageId{});
    return pe_code_id(image.timestamp, image.size);
  }
  if (module.debug_id && module.debug_id->age == sources::kNoStamp) return module.debug_id->guid.hex_upper();
  const bool by_debug_id = module.code_id.empty() || file.type == FileType::breakpad;
  const auto debug_id = by_debug_id ? file.debug_id() : std::nullopt;
  return debug_id ? debug_id->breakpad() : module.code_id;
}

Verdict verify_ids(const sources::FileRequest& wanted, Bytes file) {
  const auto stated = stated_ids(file);
  if (!stated) return std::unexpected(stated.error());
  const auto same = verify_stated(wanted, *stated);
  return same ? Verdict() : std::unexpected(same.error());
}

Verdict verify_portable(const sources::FileRequest& wanted, Bytes file) {
  if (auto right = verify_ids(wanted, file); !right) return right;
  const auto pdb = ppdb::Pdb::open(file);
  if (!pdb) return unreadable(pdb.error());
  return verify_checksums(*pdb, wanted.module.checksums);
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

Content content_of(FileType type) {
  switch (type) {
    case FileType::pe: return Content::image;
    case FileType::pdb: return Content::pdb;
    case FileType::portable_pdb: return Content::portable_pdb;
    case FileType::elf_code:
    case FileType::elf_debug: return Content::elf;
    case FileType::mach_code:
    case FileType::mach_debug: return Content::mach;
    case FileType::wasm_code:
    case FileType::wasm_debug: return Content::wasm;
    case FileType::breakpad: return Content::breakpad;
    case FileType::source_bundle: return Content::zip;
    case FileType::uuid_map: return Content::property_list;
    case FileType::bcsymbol_map: return Content::bcsymbol_map;
  }
  return Content::other;
}

bool is_verified(FileType type) {
  constexpr std::array kNot{FileType::pdb, FileType::source_bundle, FileType::uuid_map, FileType::bcsymbol_map};
  return std::ranges::find(kNot, type) == kNot.end();
}

std::expected<std::string, std::string> verify(const Wanted& wanted, Bytes file) {
  if (!is_verified(wanted.file.type)) return std::string();
  return wanted.file.type == FileType::portable_pdb ? verify_portable(wanted.file, file)
                                                    : verify_ids(wanted.file, file);
}

std::expected<void, std::string> verify_stated(const sources::FileRequest& wanted,
                                               std::span<const sources::FileRequest> stated) {
  const auto is_it = [&](const sources::FileRequest& one) { return answers(one, wanted); };
  if (std::ranges::any_of(stated, is_it)) return {};
  const std::string found = stated.empty() ? "not stated" : id_text(stated.front());
  return std::unexpected(fmt::format("id is {}, expected {}", found, id_text(wanted)));
}

std::string symbol_checksum(std::span<const Checksum> checksums) {
  std::string value;
  std::size_t sent = 0;
  for (const Checksum& checksum : checksums) {
    if (!fits_header(checksum) || sent == kMaxChecksums) continue;
    value += fmt::format("{}{}:{}", sent++ == 0 ? "" : ";", checksum.algorithm, to_hex(checksum.digest));
  }
  return value;
}

}  // namespace symcached::fetch
