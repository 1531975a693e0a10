#include "symbolize/original_file.hpp"

#include <fmt/format.h>

#include "formats/ar/reader.hpp"
#include "object/archive.hpp"

namespace symcached::symbolize {

ArchiveMemberPath archive_member_in(const std::filesystem::path& path) {
  const std::string text = path.string();
  std::error_code ignored;
  if (!text.ends_with(')') || std::filesystem::exists(path, ignored)) return {path, {}};
  for (std::size_t open = text.find('('); open != text.npos; open = text.find('(', open + 1))
    if (std::filesystem::is_regular_file(text.substr(0, open), ignored))
      return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
  return {path, {}};
}

std::filesystem::path debug_file_in(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path only;
  for (std::filesystem::directory_iterator at(path / "Contents/Resources/DWARF", error), end; !error && at != end;
       at.increment(error)) {
    if (!only.empty()) return path;
    only = at->path();
  }
  return only.empty() ? path : only;
}

std::expected<OriginalFile, std::string> OriginalFile::open(const std::filesystem::path& path,
                                                            const InflateLimits& limits) {
  const ArchiveMemberPath named = archive_member_in(path);
  auto mapped = MappedFile::open(named.archive);
  if (!mapped) return std::unexpected(std::move(mapped.error()));
  OriginalFile file;
  file.mapped_ = std::move(*mapped);
  auto unwrapped = object::unwrap(file.mapped_.bytes(), limits);
  if (!unwrapped) return std::unexpected(fmt::format("{}: {}", path.string(), unwrapped.error()));
  file.unwrapped_ = std::move(*unwrapped);
  file.inflate_ = file.unwrapped_ ? file.unwrapped_->inner : limits;
  if (file.unwrapped_) file.release_pages();
  if (auto ok = file.choose_member(named, limits); !ok)
    return std::unexpected(fmt::format("{}: {}", path.string(), ok.error()));
  return file;
}

std::expected<void, std::string> OriginalFile::choose_member(const ArchiveMemberPath& named,
                                                             const InflateLimits& limits) {
  if (!ar::is_archive(whole())) {
    if (named.member.empty()) return {};
    return std::unexpected(fmt::format("{} is no archive", named.archive.filename().string()));
  }
  const auto archive = ar::read_archive(whole());
  if (!archive) return std::unexpected(to_string(archive.error()));
  const auto member = object::find_member(*archive, named.member);
  if (!member) return std::unexpected(member.error());
  if (!archive->is_thin) {
    member_ = (*member)->file;
    return {};
  }
  const std::filesystem::path place = named.archive.parent_path() / std::string((*member)->name);
  auto mapped = MappedFile::open(place);
  if (!mapped) return std::unexpected(std::move(mapped.error()));
  mapped_ = std::move(*mapped);
  unwrapped_.reset();
  inflate_ = limits;
  return {};
}

}  // namespace symcached::symbolize
