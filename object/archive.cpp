#include "object/archive.hpp"

#include <fmt/format.h>

#include <charconv>

#include "object/identify.hpp"
#include "object/packed/unpack.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kMaxListed = 10;  ///< in a message

/// The `number`-th member of that name, counted from 1.
const ar::Member* member_of(const ar::Archive& archive, std::string_view name, std::size_t number) {
  for (const ar::Member& member : archive.members)
    if (member.name == name && --number == 0) return &member;
  return nullptr;
}

/// "x.o:2"
const ar::Member* numbered_member(const ar::Archive& archive, std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return nullptr;
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, number);
  return error == std::errc() && rest == end && number != 0 ? member_of(archive, text.substr(0, colon), number)
                                                            : nullptr;
}

std::string some_members(const ar::Archive& archive) {
  std::string names;
  for (std::size_t i = 0; i < archive.members.size() && i < kMaxListed; ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", shown_name(archive.members[i].name));
  if (archive.members.size() > kMaxListed) names += fmt::format(" and {} more", archive.members.size() - kMaxListed);
  return names;
}

}  // namespace

void describe_archive(FileInfo& info, Bytes file) {
  const auto archive = ar::read_archive(file);
  if (!archive) return info.keep_first(archive.error());
  if (archive->is_thin) info.add_feature("thin");
  for (const ar::Member& member : archive->members) {
    MemberInfo& listed = info.members.emplace_back(MemberInfo{.name = std::string(member.name), .size = member.size});
    // an archive in an archive is not listed in turn: each could hold most of the file again
    listed.kind = identify(member.file);
    if (archive->is_thin || listed.kind == FileKind::archive) continue;
    const FileInfo about = describe_unpacked(member.file);
    listed.arch = about.arch;
    listed.debug_id = about.debug_id;
    listed.code_id = about.code_id;
  }
}

std::expected<const ar::Member*, std::string> find_member(const ar::Archive& archive, std::string_view name) {
  if (archive.members.empty()) return std::unexpected("the archive is empty");
  if (name.empty()) {
    if (archive.members.size() == 1) return &archive.members.front();
    const std::string_view first = archive.members.front().name;
    return std::unexpected(fmt::format("an archive of {} files; name one, such as FILE({}): {}", archive.members.size(),
                                       shown_name(first), some_members(archive)));
  }
  const ar::Member* found = member_of(archive, name, 1);
  if (found == nullptr) found = numbered_member(archive, name);
  if (found != nullptr) return found;
  return std::unexpected(fmt::format("no member {}; there are: {}", shown_name(name), some_members(archive)));
}

}  // namespace symcached::object
