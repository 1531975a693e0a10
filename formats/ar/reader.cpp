#include "formats/ar/reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace symcached::ar {
namespace {

struct MemberRecord {
  std::array<char, 16> name;  ///< padded with spaces; "#1/20" = 20 bytes of name stand before the data
  std::array<char, 12> modified;
  std::array<char, 20> owner_and_mode;
  std::array<char, 10> size;  ///< decimal digits; with the name before the data
  std::array<char, 2> end;    ///< "`\n"
};
static_assert(sizeof(MemberRecord) == 60 && alignof(MemberRecord) == 1);

constexpr std::string_view kLongNames = "//";
/// Tables about the other members, under names that no file has.
constexpr std::string_view kTables[] = {"/",         "/SYM64/",          "/<ECSYMBOLS>/", "/<XFGHASHMAP>/",
                                        "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64",  "__.SYMDEF_64 SORTED"};

bool is_table(std::string_view name) { return std::ranges::find(kTables, name) != std::end(kTables); }

template <std::size_t N>
std::string_view field_text(Bytes record, std::size_t at, const std::array<char, N>&) {
  const std::string_view text = as_text(record.subspan(at, N));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

Read<std::uint64_t> number_in(std::string_view digits, std::uint64_t at, std::string_view field) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || rest != end) return bad_value(field, at, 0);
  return value;
}

/// "name/" ends at its slash, so that names may end in spaces.
std::string_view without_slash(std::string_view name) {
  if (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  return name;
}

class ArchiveReader {
 public:
  explicit ArchiveReader(Bytes file) : file_(file), in_(file.subspan(kMagic.size()), kMagic.size()) {}

  Read<Archive> run() {
    archive_.is_thin = as_text(file_).starts_with(kThinMagic);
    while (!in_.at_end())
      if (auto ok = member(); !ok) return std::unexpected(ok.error());
    return std::move(archive_);
  }

 private:
  Read<void> member();
  Read<std::string_view> long_name(std::string_view place, std::uint64_t at) const;

  Bytes file_;
  ByteReader in_;
  std::string_view long_names_;
  Archive archive_;
};

Read<void> ArchiveReader::member() {
  const std::uint64_t at = kMagic.size() + in_.position();
  const Bytes raw = in_.rest();
  SC_TRY(const auto record, in_.read<MemberRecord>("archive.member"));
  SC_TRY(const auto size,
         number_in(field_text(raw, offsetof(MemberRecord, size), record.size), at, "archive.member.size"));
  std::string_view name = field_text(raw, offsetof(MemberRecord, name), record.name);
  const bool is_names = name == kLongNames;
  const bool holds_data = !archive_.is_thin || is_names || is_table(name);
  Bytes data;
  if (holds_data) {
    SC_TRY(data, in_.take(size, "archive.member.size"));
    if (size % 2 != 0 && !in_.at_end()) [[maybe_unused]]
      const auto padding = in_.skip(1, "archive.member.padding");
  }
  if (is_names) long_names_ = as_text(data);
  if (is_names || is_table(name)) return {};
  if (name.starts_with("#1/")) {
    SC_TRY(const auto name_size, number_in(name.substr(3), at, "archive.member.name"));
    SC_TRY(const auto own_name, slice(data, 0, name_size, "archive.member.name"));
    name = as_text(own_name).substr(0, std::min<std::size_t>(own_name.size(), kLongestName));
    name = name.substr(0, name.find('\0'));
    data = data.subspan(own_name.size());
    if (is_table(name)) return {};
  } else if (name.size() > 1 && name.starts_with('/')) {
    SC_TRY(name, long_name(name.substr(1), at));
  } else {
    name = without_slash(name);
  }
  archive_.members.push_back(
      {.name = name,
       .modified = number_in(field_text(raw, offsetof(MemberRecord, modified), record.modified), at, "").value_or(0),
       .size = archive_.is_thin ? size : data.size(),
       .file = data});
  return {};
}

/// GNU ends names with "/\n", Microsoft with a NUL. A thin archive in another one names its member behind a colon.
Read<std::string_view> ArchiveReader::long_name(std::string_view place, std::uint64_t at) const {
  SC_TRY(const auto position, number_in(place.substr(0, place.find(':')), at, "archive.member.name"));
  if (position >= long_names_.size()) return bad_value("archive.member.name", at, position, long_names_.size());
  const std::string_view from = long_names_.substr(position, kLongestName);
  return without_slash(from.substr(0, from.find_first_of(std::string_view("\n\0", 2))));
}

}  // namespace

bool is_archive(Bytes file) {
  const std::string_view text = as_text(file.first(std::min(file.size(), kMagic.size())));
  return text == kMagic || text == kThinMagic;
}

Read<Archive> read_archive(Bytes file) {
  if (!is_archive(file)) return bad_value("archive.magic", 0, 0);
  return ArchiveReader(file).run();
}

}  // namespace symcached::ar
