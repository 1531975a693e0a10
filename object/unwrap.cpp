#include "object/unwrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/decompress.hpp"
#include "base/mspack.hpp"
#include "object/zip_archive.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kStart = 4096;        ///< bytes that tell a member's kind
constexpr std::size_t kMaxLookedAt = 4096;  ///< members of one archive
constexpr std::size_t kMaxNamed = 10;       ///< in a message
constexpr std::size_t kLongestName = 200;   ///< in a message

struct Plain {
  Buffer file;
  std::string member;
};
using PlainOrWhy = std::expected<Plain, std::string>;

std::string over_limit(std::uint64_t limit) {
  return fmt::format("decompresses to more than the limit of {} bytes; set another with convert --max-unpacked", limit);
}

/// Names come from the archive: what a terminal would take for more than text is left out.
std::string shown(std::string_view name) {
  std::string text(name.substr(0, kLongestName));
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return text;
}

/// A member and what its first bytes say of it.
struct Candidate {
  std::size_t index;
  std::string name;
  FileKind kind;
};

/// The one member of a known kind.
std::expected<Candidate, std::string> choose(const std::vector<Candidate>& all) {
  if (all.empty()) return std::unexpected("the archive is empty");
  const auto is_known = [](const Candidate& c) { return c.kind != FileKind::unknown; };
  const auto known = std::ranges::count_if(all, is_known);
  if (known == 1) return *std::ranges::find_if(all, is_known);
  std::string names;
  std::size_t count = 0;
  for (const Candidate& c : all) {
    if (known != 0 && !is_known(c)) continue;
    if (++count > kMaxNamed) continue;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", shown(c.name), name_of(c.kind));
  }
  if (count > kMaxNamed) names += fmt::format(" and {} more", count - kMaxNamed);
  if (known == 0) return std::unexpected("no debug file among its members: " + names);
  return std::unexpected(fmt::format("the archive has {} debug files: {}; extract one", known, names));
}

PlainOrWhy decompressed(Codec codec, Bytes packed, std::uint64_t limit) {
  auto plain = decompress_whole(codec, packed, limit, name_of(codec));
  if (!plain && plain.error().kind == ReadError::Kind::too_large && plain.error().wanted == limit)
    return std::unexpected(over_limit(limit));
  if (!plain && plain.error().kind == ReadError::Kind::too_large) return std::unexpected(to_string(plain.error()));
  if (!plain) return std::unexpected(fmt::format("truncated or corrupt data at offset {}", plain.error().offset));
  return Plain{std::move(*plain), {}};
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

PlainOrWhy expanded(mspack::SingleFile format, Bytes packed, std::uint64_t limit) {
  constexpr std::uint64_t kNoOther = std::numeric_limits<std::int64_t>::max();
  Collected plain(limit);
  const auto done = mspack::expand(format, packed, kNoOther, [&](Bytes piece) { return plain.add(piece); });
  if (!done) return std::unexpected(done.error().why);
  return Plain{plain.finish(), {}};
}

/// Kind of a cabinet's member. Its bytes are unpacked to the end: the next member is then reached without a new start.
std::expected<FileKind, std::string> kind_in(mspack::Cabinet& cabinet, std::size_t member) {
  std::vector<std::byte> start;
  const auto done = cabinet.extract(member, [&](Bytes piece) -> std::expected<void, std::string> {
    const Bytes wanted = piece.first(std::min(piece.size(), kStart - start.size()));
    start.insert(start.end(), wanted.begin(), wanted.end());
    return {};
  });
  if (!done) return std::unexpected(done.error().why);
  return identify(start);
}

std::expected<Candidate, std::string> choose_in(mspack::Cabinet& cabinet, std::uint64_t limit) {
  const auto& members = cabinet.members();
  if (cabinet.is_part_of_set()) return std::unexpected("part of a multi-cabinet set; extract the whole set");
  if (members.size() == 1) return Candidate{0, members[0].name, FileKind::unknown};
  if (members.size() > kMaxLookedAt) return std::unexpected(fmt::format("{} members, over the limit", members.size()));
  std::uint64_t work = 0;
  for (const auto& m : members) work += m.offset + m.size;  // of 32 bits each
  if (work > limit) return std::unexpected(fmt::format("{} members, {}", members.size(), over_limit(limit)));
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto kind = kind_in(cabinet, i);
    if (!kind) return std::unexpected(kind.error());
    all.push_back({i, members[i].name, *kind});
  }
  return choose(all);
}

PlainOrWhy from_cabinet(Bytes packed, std::uint64_t limit) {
  auto cabinet = mspack::Cabinet::open(packed);
  if (!cabinet) return std::unexpected(cabinet.error());
  const auto chosen = choose_in(*cabinet, limit);
  if (!chosen) return std::unexpected(chosen.error());
  const mspack::CabinetMember& member = cabinet->members()[chosen->index];
  if (member.offset + member.size > limit) return std::unexpected(over_limit(limit));
  Collected plain(limit);
  const auto done = cabinet->extract(chosen->index, [&](Bytes piece) { return plain.add(piece); });
  if (!done) return std::unexpected(done.error().why);
  return Plain{plain.finish(), member.name};
}

PlainOrWhy from_zip(Bytes packed, std::uint64_t limit) {
  const auto archive = ZipArchive::open(packed);
  if (!archive) return std::unexpected(archive.error());
  const auto members = archive->members();
  if (!members) return std::unexpected(members.error());
  if (members->size() > kMaxLookedAt)
    return std::unexpected(fmt::format("{} members, over the limit", members->size()));
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < members->size(); ++i) {
    const auto start = archive->read_start((*members)[i].index, kStart);
    if (!start) return std::unexpected(fmt::format("{}: {}", shown((*members)[i].name), start.error()));
    all.push_back({i, (*members)[i].name, identify(start->bytes())});
  }
  auto chosen = choose(all);
  if (!chosen) return std::unexpected(chosen.error());
  const ZipMember& member = (*members)[chosen->index];
  if (member.size > limit) return std::unexpected(over_limit(limit));
  auto plain = archive->read(member.index, limit);
  if (!plain) return std::unexpected(plain.error());
  return Plain{std::move(*plain), chosen->name};
}

PlainOrWhy without_wrapper(FileKind kind, Bytes packed, std::uint64_t limit) {
  switch (kind) {
    case FileKind::gzip: return decompressed(Codec::gzip, packed, limit);
    case FileKind::zstd: return decompressed(Codec::zstd, packed, limit);
    case FileKind::xz: return decompressed(Codec::xz, packed, limit);
    case FileKind::zip: return from_zip(packed, limit);
    case FileKind::cab: return from_cabinet(packed, limit);
    case FileKind::szdd: return expanded(mspack::SingleFile::szdd, packed, limit);
    case FileKind::kwaj: return expanded(mspack::SingleFile::kwaj, packed, limit);
    default: return std::unexpected("not compressed");
  }
}

}  // namespace

bool is_wrapper(FileKind kind) {
  switch (kind) {
    case FileKind::gzip:
    case FileKind::zstd:
    case FileKind::xz:
    case FileKind::zip:
    case FileKind::cab:
    case FileKind::szdd:
    case FileKind::kwaj: return true;
    default: return false;
  }
}

std::expected<std::optional<Unwrapped>, std::string> unwrap(Bytes file, const InflateLimits& limits) {
  FileKind kind = identify(file);
  if (!is_wrapper(kind)) return std::nullopt;
  Unwrapped result;
  std::uint64_t left = limits.allowed(file.size());
  Bytes packed = file;
  for (; is_wrapper(kind); kind = identify(packed)) {
    if (result.wrappers.size() == kMaxWrappers)
      return std::unexpected(fmt::format("compressed more than {} times over; decompress it first", kMaxWrappers));
    auto plain = without_wrapper(kind, packed, left);
    if (!plain) return std::unexpected(fmt::format("{}: {}", name_of(kind), plain.error()));
    result.wrappers.push_back(kind);
    result.file = std::move(plain->file);
    if (!plain->member.empty()) result.member = std::move(plain->member);
    packed = result.file.bytes();
    left -= packed.size();
  }
  result.inner = limits;
  result.inner.total = left;
  return result;
}

}  // namespace symcached::object
