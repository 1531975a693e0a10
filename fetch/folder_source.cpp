#include "fetch/folder_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace symcached::fetch {
namespace {

sources::Tiers probe_tiers(const std::filesystem::path& root) {
  std::error_code error;
  return std::filesystem::exists(root / sources::kTwoTierMarker, error) ? sources::Tiers::two : sources::Tiers::one;
}

bool is_absence(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
         error == std::errc::filename_too_long;
}

bool lies_below(const std::filesystem::path& path, const std::filesystem::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace

FolderSource::FolderSource(std::filesystem::path root, ObjectCache& objects)
    : root_(std::move(root)), name_(root_.string()), tiers_(probe_tiers(root_)), objects_(objects) {}

Task<Outcome> FolderSource::open(Wanted wanted) {
  for (const sources::Place& place : sources::symstore_places(tiers_, wanted.name, wanted.id))
    if (auto outcome = open_place(place, wanted)) co_return std::move(*outcome);
  std::error_code error;
  if (!std::filesystem::is_directory(root_, error)) co_return SoftFailure{fmt::format("{}: the folder is gone", name_)};
  co_return NotThere{};
}

/// @return nothing if there is no such file
std::optional<Outcome> FolderSource::open_place(const sources::Place& place, const Wanted& wanted) {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(root_ / place.path, error);
  if (is_absence(error)) return std::nullopt;
  if (error) return SoftFailure{fmt::format("{}/{}: {}", name_, place.path, error.message())};
  if (!lies_below(path, root_))
    return Refused{fmt::format("{}/{}: is a link that leaves the folder", name_, place.path)};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return SoftFailure{fmt::format("{}: {}", path.string(), std::strerror(errno))};
  auto mapped = MappedFile::from_descriptor(file.get(), path);
  if (!mapped) return Refused{mapped.error()};
  const Content content = sniff(mapped->bytes().first(std::min(mapped->bytes().size(), kSniffSize)));
  if (content == content_of(wanted.id)) {
    auto verified = verify(wanted, mapped->bytes());
    if (!verified) return Refused{fmt::format("{}: {}", path.string(), verified.error())};
    return Original{std::move(*mapped), 0, path.string(), std::move(*verified)};
  }
  if (content != Content::cabinet)
    return Refused{
        fmt::format("{}: is {}; asked for was {}", path.string(), describe(content), describe(content_of(wanted.id)))};
  if (auto kept = objects_.find(object_key(wanted), wanted, path.string())) return std::move(*kept);
  return objects_.keep_unpacked(object_key(wanted), wanted, file.get(), 0, path.string());
}

}  // namespace symcached::fetch
