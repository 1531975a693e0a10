#include "object/unwrap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "object/identify.hpp"
#include "object/kinds.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kMaxNamed = 10;  ///< in a message

/// The one member of a known kind.
std::expected<std::size_t, std::string> choose(std::span<const Member> members) {
  if (members.empty()) return std::unexpected("the archive is empty");
  std::vector<FileKind> kinds;
  for (const Member& member : members) kinds.push_back(identify(member.start));
  const auto is_known = [](FileKind kind) { return kind != FileKind::unknown; };
  const auto known = std::ranges::count_if(kinds, is_known);
  if (known == 1) return static_cast<std::size_t>(std::ranges::find_if(kinds, is_known) - kinds.begin());
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (known != 0 && !is_known(kinds[i])) continue;
    if (++count > kMaxNamed) continue;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", shown_name(members[i].name), name_of(kinds[i]));
  }
  if (count > kMaxNamed) names += fmt::format(" and {} more", count - kMaxNamed);
  if (known == 0) return std::unexpected("no debug file among its members: " + names);
  return std::unexpected(fmt::format("the archive has {} debug files: {}; extract one", known, names));
}

}  // namespace

bool is_wrapper(FileKind kind) { return row_of(kind).unpack != nullptr; }

std::expected<std::optional<Unwrapped>, std::string> unwrap(Bytes file, const InflateLimits& limits) {
  FileKind kind = identify(file);
  if (!is_wrapper(kind)) return std::nullopt;
  Unwrapped result;
  std::uint64_t left = limits.allowed(file.size());
  Bytes packed = file;
  for (; is_wrapper(kind); kind = identify(packed)) {
    if (result.wrappers.size() == kMaxWrappers)
      return std::unexpected(fmt::format("compressed more than {} times over; decompress it first", kMaxWrappers));
    auto plain = row_of(kind).unpack(packed, left, choose);
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
