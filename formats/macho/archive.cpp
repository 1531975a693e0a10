#include "formats/macho/archive.hpp"

#include <array>
#include <charconv>

namespace symcached::macho {
namespace {

struct MemberRecord {
  std::array<char, 16> name;  ///< padded with spaces; "#1/20" = 20 bytes of name stand before the data
  std::array<char, 12> modified;
  std::array<char, 20> owner_and_mode;
  std::array<char, 10> size;  ///< decimal digits; with the name before the data
  std::array<char, 2> end;    ///< "`\n"
};
static_assert(sizeof(MemberRecord) == 60 && alignof(MemberRecord) == 1);

template <std::size_t N>
std::string_view field_text(const std::array<char, N>& field) {
  const std::string_view text(field.data(), field.size());
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

Read<std::uint64_t> number_in(std::string_view digits, std::uint64_t at, std::string_view field) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || rest != end) return bad_value(field, at, 0);
  return value;
}

}  // namespace

Read<std::vector<ArchiveMember>> read_archive(Bytes file) {
  if (!as_text(file).starts_with(kArchiveMagic)) return bad_value("archive.magic", 0, 0);
  std::vector<ArchiveMember> members;
  ByteReader in(file.subspan(kArchiveMagic.size()), kArchiveMagic.size());
  while (!in.at_end()) {
    const std::uint64_t at = kArchiveMagic.size() + in.position();
    const Bytes raw = in.rest();
    SC_TRY(const auto record, in.read<MemberRecord>("archive.member"));
    SC_TRY(const auto size, number_in(field_text(record.size), at, "archive.member.size"));
    SC_TRY(auto data, in.take(size, "archive.member.size"));
    ArchiveMember member;
    member.modified = number_in(field_text(record.modified), at, "archive.member.modified").value_or(0);
    member.name = as_text(raw.first(field_text(record.name).size()));
    if (member.name.starts_with("#1/")) {
      SC_TRY(const auto name_size, number_in(member.name.substr(3), at, "archive.member.name"));
      SC_TRY(const auto name, slice(data, 0, name_size, "archive.member.name"));
      member.name = as_text(name).substr(0, as_text(name).find('\0'));
      data = data.subspan(name.size());
    } else if (member.name.size() > 1 && member.name.ends_with('/')) {
      member.name.remove_suffix(1);
    }
    member.file = data;
    members.push_back(member);
    if (size % 2 != 0 && !in.at_end()) [[maybe_unused]]
      const auto padding = in.skip(1, "archive.member.padding");
  }
  return members;
}

}  // namespace symcached::macho
