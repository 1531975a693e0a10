#include "object/packed/unpack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/decompress.hpp"
#include "base/mspack.hpp"
#include "base/zip_archive.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kMaxLookedAt = 4096;  ///< members of one archive
constexpr std::size_t kLongestName = 200;   ///< in a message

std::string over_limit(std::uint64_t limit) {
  return fmt::format("decompresses to more than the limit of {} bytes; set another with convert --max-unpacked", limit);
}

UnpackedOrWhy decompressed(Codec codec, Bytes packed, std::uint64_t limit) {
  auto plain = decompress_whole(codec, packed, limit, name_of(codec));
  if (!plain && plain.error().kind == ReadError::Kind::too_large && plain.error().wanted == limit)
    return std::unexpected(over_limit(limit));
  if (!plain && plain.error().kind == ReadError::Kind::too_large) return std::unexpected(to_string(plain.error()));
  if (!plain) return std::unexpected(fmt::format("truncated or corrupt data at offset {}", plain.error().offset));
  return Unpacked{std::move(*plain), {}};
}

/// Grows with what comes: a stated size is not believed.
class Collected {
 public:
  explicit Collected(std::uint64_t limit) : limit_(limit) {}
  std::expected<void, std::string> add(Bytes piece) {
    if (piece.size() > limit_ - bytes_.size()) return std::unexpected(over_limit(limit_));
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    return {};
  }
  Buffer finish() const {
    Buffer all(bytes_.size());
    if (!bytes_.empty()) std::memcpy(all.data(), bytes_.data(), bytes_.size());
    return all;
  }

 private:
  std::uint64_t limit_;
  std::vector<std::byte> bytes_;
};

UnpackedOrWhy expanded(mspack::SingleFile format, Bytes packed, std::uint64_t limit) {
  constexpr std::uint64_t kNoOther = std::numeric_limits<std::int64_t>::max();
  Collected plain(limit);
  const auto done = mspack::expand(format, packed, kNoOther, [&](Bytes piece) { return plain.add(piece); });
  if (!done) return std::unexpected(done.error().why);
  return Unpacked{plain.finish(), {}};
}

/// The start of a cabinet's member. Its bytes are unpacked to the end: the next member is then reached without a new
/// start.
std::expected<std::vector<std::byte>, std::string> start_in(mspack::Cabinet& cabinet, std::size_t member) {
  std::vector<std::byte> start;
  const auto done = cabinet.extract(member, [&](Bytes piece) -> std::expected<void, std::string> {
    const Bytes wanted = piece.first(std::min(piece.size(), kMemberStart - start.size()));
    start.insert(start.end(), wanted.begin(), wanted.end());
    return {};
  });
  if (!done) return std::unexpected(done.error().why);
  return start;
}

std::expected<std::size_t, std::string> choose_in(mspack::Cabinet& cabinet, std::uint64_t limit, Choose choose) {
  const auto& members = cabinet.members();
  if (cabinet.is_part_of_set()) return std::unexpected("part of a multi-cabinet set; extract the whole set");
  if (members.size() == 1) return 0;
  if (members.size() > kMaxLookedAt) return std::unexpected(fmt::format("{} members, over the limit", members.size()));
  std::uint64_t work = 0;
  for (const auto& m : members) work += m.offset + m.size;  // of 32 bits each
  if (work > limit) return std::unexpected(fmt::format("{} members, {}", members.size(), over_limit(limit)));
  std::vector<Member> all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto start = start_in(cabinet, i);
    if (!start) return std::unexpected(start.error());
    all.push_back({members[i].name, std::move(*start)});
  }
  return choose(all);
}

}  // namespace

UnpackedOrWhy unpack_gzip(Bytes packed, std::uint64_t limit, Choose) {
  return decompressed(Codec::gzip, packed, limit);
}
UnpackedOrWhy unpack_zstd(Bytes packed, std::uint64_t limit, Choose) {
  return decompressed(Codec::zstd, packed, limit);
}
UnpackedOrWhy unpack_xz(Bytes packed, std::uint64_t limit, Choose) { return decompressed(Codec::xz, packed, limit); }
UnpackedOrWhy unpack_szdd(Bytes packed, std::uint64_t limit, Choose) {
  return expanded(mspack::SingleFile::szdd, packed, limit);
}
UnpackedOrWhy unpack_kwaj(Bytes packed, std::uint64_t limit, Choose) {
  return expanded(mspack::SingleFile::kwaj, packed, limit);
}

UnpackedOrWhy unpack_cabinet(Bytes packed, std::uint64_t limit, Choose choose) {
  auto cabinet = mspack::Cabinet::open(packed);
  if (!cabinet) return std::unexpected(cabinet.error());
  const auto chosen = choose_in(*cabinet, limit, choose);
  if (!chosen) return std::unexpected(chosen.error());
  const mspack::CabinetMember& member = cabinet->members()[*chosen];
  if (member.offset + member.size > limit) return std::unexpected(over_limit(limit));
  Collected plain(limit);
  const auto done = cabinet->extract(*chosen, [&](Bytes piece) { return plain.add(piece); });
  if (!done) return std::unexpected(done.error().why);
  return Unpacked{plain.finish(), member.name};
}

UnpackedOrWhy unpack_zip(Bytes packed, std::uint64_t limit, Choose choose) {
  const auto archive = ZipArchive::open(packed);
  if (!archive) return std::unexpected(archive.error());
  const auto members = archive->members();
  if (!members) return std::unexpected(members.error());
  if (members->size() > kMaxLookedAt)
    return std::unexpected(fmt::format("{} members, over the limit", members->size()));
  std::vector<Member> all;
  for (const ZipMember& member : *members) {
    const auto start = archive->read_start(member.index, kMemberStart);
    if (!start) return std::unexpected(fmt::format("{}: {}", shown_name(member.name), start.error()));
    all.push_back({member.name, {start->bytes().begin(), start->bytes().end()}});
  }
  const auto chosen = choose(all);
  if (!chosen) return std::unexpected(chosen.error());
  const ZipMember& member = (*members)[*chosen];
  if (member.size > limit) return std::unexpected(over_limit(limit));
  auto plain = archive->read(member.index, limit);
  if (!plain) return std::unexpected(plain.error());
  return Unpacked{std::move(*plain), member.name};
}

std::string shown_name(std::string_view name) {
  std::string text(name.substr(0, kLongestName));
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return text;
}

}  // namespace symcached::object
