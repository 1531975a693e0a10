#include "fetch/folder_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "fetch/identity.hpp"
#include "fetch/verify.hpp"
#include "sources/file_pointer.hpp"
#include "sources/source_rules.hpp"

namespace symcached::fetch {
namespace {

/// In the root of a store, by whoever wrote it.
constexpr std::array<std::string_view, 5> kStoreMarkers{sources::kTwoTierMarker, "pingme.txt", "000Admin", ".build-id",
                                                        "buildid"};

bool exists(int root, std::string_view name) { return ::faccessat(root, std::string(name).c_str(), F_OK, 0) == 0; }

Outcome refusal(const OpenFailure& failure, const std::string& origin) {
  if (failure.kind == OpenFailure::Kind::leaves)
    return Refused{fmt::format("{}: symbolic link leads outside the directory", origin)};
  if (failure.error == ENXIO || failure.error == ENODEV) return Refused{fmt::format("{}: not a regular file", origin)};
  return failed_locally(fmt::format("{}: cannot open", origin), failure.error);
}

/// Whether somebody wrote to the file since `before`.
bool is_changed_since(int file, const struct stat& before) {
  struct stat now{};
  return ::fstat(file, &now) != 0 || identity_of(now) != identity_of(before);
}

}  // namespace

FolderSource::FolderSource(const sources::SourceConfig& config, std::filesystem::path root, ObjectCache& objects,
                           Log log)
    : root_(std::move(root)),
      name_(root_.path().string()),
      key_(name_ + '\n' + sources::rules_text(config)),
      id_(config.id),
      is_public_(config.is_public),
      layout_(config.layout),
      path_map_(config.path_map),
      places_(config),
      has_index_(config.has_index),
      shortcut_([this](std::string path) { return read_text(std::move(path)); },
                warning_of_index(name_, std::move(log)), Waits::Clock::now),
      loose_(objects.reader(), {.skips_places = config.layout == sources::Layout::automatic}),
      objects_(objects) {}

Task<Outcome> FolderSource::open(Wanted wanted) {
  auto place = co_await find(wanted);
  if (!place) co_return NotThere{};
  if (!*place) co_return std::move(place->error());
  co_return co_await judge(std::move(wanted), std::move(**place));
}

Task<std::string> FolderSource::identify(Wanted wanted) {
  const auto place = co_await find(std::move(wanted));
  co_return place && *place ? identity_of((*place)->info) : std::string();
}

Task<FolderSource::Looked> FolderSource::find(Wanted wanted) {
  if (!places_.passes(wanted.file)) co_return std::nullopt;
  auto root = root_.get();
  if (!root)
    co_return Looked(
        std::unexpected(failed_locally(fmt::format("{}: cannot open the directory", name_), root.error())));
  const bool has_spellings = places_.has_pointers(wanted.file.type) && places_.places(wanted.file, false).size() > 1;
  if (has_index_ && has_spellings) co_await shortcut_.read_on();
  Looked looked = find_by_layout((*root)->get(), wanted);
  if (looked || !is_loose((*root)->get())) co_return looked;
  co_return co_await find_by_ids(std::move(*root), std::move(wanted));
}

std::vector<sources::Place> FolderSource::places_of(int directory, const Wanted& wanted) const {
  const bool two_tiers = layout_ == sources::Layout::automatic && exists(directory, sources::kTwoTierMarker);
  auto places = places_.places(wanted.file, two_tiers);
  if (has_index_) shortcut_.sort(places);
  return places;
}

Task<std::optional<std::string>> FolderSource::read_text(std::string path) {
  const auto root = root_.get();
  if (!root) co_return std::nullopt;
  const auto file = open_beneath((*root)->get(), root_.path(), path);
  struct stat info{};
  if (!file && file.error().kind == OpenFailure::Kind::not_there) co_return std::string();
  if (!file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) co_return std::nullopt;
  if (static_cast<std::uint64_t>(info.st_size) > AdminShortcut::kMaxText) co_return std::nullopt;
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  const ssize_t size = ::pread(file->get(), text.data(), text.size(), 0);
  if (size < 0) co_return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  co_return std::move(text);
}

FolderSource::Looked FolderSource::find_by_layout(int directory, const Wanted& wanted) {
  const auto places = places_of(directory, wanted);
  for (const sources::Place& place : places) {
    std::string origin = fmt::format("{}/{}", name_, place.path);
    auto file = open_beneath(directory, root_.path(), place.path);
    if (file) {
      places_.worked(wanted.file.type, place);
      return found(std::move(*file), std::move(origin));
    }
    if (file.error().kind != OpenFailure::Kind::not_there) return std::unexpected(refusal(file.error(), origin));
  }
  if (!places_.has_pointers(wanted.file.type)) return std::nullopt;
  std::vector<std::string> pointers;
  for (const sources::Place& place : places) {
    std::string pointer = sources::pointer_beside(place.path);
    if (std::ranges::find(pointers, pointer) != pointers.end()) continue;
    if (auto looked = follow_pointer(directory, pointer)) return looked;
    pointers.push_back(std::move(pointer));
  }
  return std::nullopt;
}

/// Nothing if there is no pointer, or if it says that there is no file.
FolderSource::Looked FolderSource::follow_pointer(int directory, const std::string& pointer) {
  const auto file = open_beneath(directory, root_.path(), pointer);
  if (!file) return std::nullopt;
  std::string text(sources::kMaxFilePointer + 1, '\0');
  const ssize_t size = ::pread(file->get(), text.data(), text.size(), 0);
  if (size < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  const auto refused = [&](const std::string& why) {
    return std::unexpected(Outcome(Refused{fmt::format("{}/{}: {}", name_, pointer, why)}));
  };
  const sources::FilePointer read = sources::read_file_pointer(text, pointer, path_map_);
  if (const auto* unusable = std::get_if<sources::UnusablePointer>(&read)) return refused(unusable->why);
  if (const auto* inside = std::get_if<sources::PointsInStore>(&read))
    return find_form(directory, root_.path(), inside->path);
  const auto* elsewhere = std::get_if<sources::PointsElsewhere>(&read);
  if (elsewhere == nullptr) return std::nullopt;
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(elsewhere->place.target, error);
  const Descriptor root(error ? -1 : ::open(target.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return refused(fmt::format("leads to {}, which is no folder here", elsewhere->place.target));
  return find_form(root.get(), target, elsewhere->place.below);
}

FolderSource::Looked FolderSource::find_form(int directory, const std::filesystem::path& root,
                                             const std::string& path) {
  for (const std::string& form : sources::forms_of(path)) {
    std::string origin = fmt::format("{}/{}", root.string(), form);
    auto file = open_beneath(directory, root, form);
    if (file) return found(std::move(*file), std::move(origin));
    if (file.error().kind != OpenFailure::Kind::not_there) return std::unexpected(refusal(file.error(), origin));
  }
  return std::nullopt;
}

std::vector<std::string> FolderSource::places(const Wanted& wanted) {
  std::vector<std::string> all;
  const auto root = root_.get();
  if (!root) return all;
  for (sources::Place& place : places_of((*root)->get(), wanted)) all.push_back(std::move(place.path));
  return all;
}

Task<Outcome> FolderSource::open_place(Wanted wanted, std::string path) {
  const auto root = root_.get();
  if (!root) co_return failed_locally(fmt::format("{}: cannot open the directory", name_), root.error());
  std::string origin = fmt::format("{}/{}", name_, path);
  auto file = open_beneath((*root)->get(), root_.path(), path);
  if (!file && file.error().kind == OpenFailure::Kind::not_there) co_return NotThere{};
  if (!file) co_return refusal(file.error(), origin);
  auto place = found(std::move(*file), std::move(origin));
  if (!place) co_return std::move(place.error());
  co_return co_await judge(std::move(wanted), std::move(*place));
}

Task<Outcome> FolderSource::open_at(Wanted wanted, std::string path) {
  const auto root = root_.get();
  if (!root) co_return failed_locally(fmt::format("{}: cannot open the directory", name_), root.error());
  auto place = find_form((*root)->get(), root_.path(), path);
  if (!place) co_return NotThere{};
  if (!*place) co_return std::move(place->error());
  co_return co_await judge(std::move(wanted), std::move(**place));
}

/// A store that tools wrote has nothing outside of its layout, and may be too large to search.
bool FolderSource::is_loose(int directory) const {
  if (layout_ == sources::Layout::loose) return true;
  if (layout_ != sources::Layout::automatic || places_.any_worked()) return false;
  return std::ranges::none_of(kStoreMarkers, [&](std::string_view marker) { return exists(directory, marker); });
}

Task<FolderSource::Looked> FolderSource::find_by_ids(std::shared_ptr<const Descriptor> directory, Wanted wanted) {
  const auto paths = co_await loose_.find(directory, root_.path(), wanted.file);
  if (!paths) co_return Looked(std::unexpected(Outcome(Exhausted{paths.error()})));
  for (const std::string& path : *paths)
    if (auto file = open_beneath(directory->get(), root_.path(), path))
      co_return found(std::move(*file), fmt::format("{}/{}", name_, path));
  co_return std::nullopt;
}

std::expected<FolderSource::Found, Outcome> FolderSource::found(Descriptor file, std::string origin) const {
  Found found{std::move(file), {}, std::move(origin)};
  if (::fstat(found.file.get(), &found.info) != 0)
    return std::unexpected(failed_locally(fmt::format("{}: cannot stat", found.origin), errno));
  if (!S_ISREG(found.info.st_mode))
    return std::unexpected(Outcome(Refused{fmt::format("{}: not a regular file", found.origin)}));
  return found;
}

/// What is read is the file as it was when it was opened, or it counts for nothing.
Task<Outcome> FolderSource::judge(Wanted wanted, Found found) {
  const int file = found.file.get();
  const std::string scope = is_public_ ? std::string(kGlobalScope) : wanted.scope;
  const ObjectCache::Item item{wanted, scope, found.origin, identity_of(found.info)};
  const auto size = static_cast<std::uint64_t>(found.info.st_size);
  const auto sniffed = sniff_file(file, 0, wanted.file.type);
  if (!sniffed) co_return failed_locally(fmt::format("{}: cannot read", item.origin), sniffed.error());
  Outcome outcome = NotThere{};
  if (sniffed->wrapper) {
    outcome = co_await unpacked(item, *sniffed->wrapper, file);
  } else if (!is_wanted(sniffed->content, wanted)) {
    outcome = refuse(sniffed->content, item);
  } else if (auto checked = co_await objects_.check(item, file, 0, size); !checked) {
    outcome = std::move(checked.error());
  } else {
    outcome = Original{std::move(found.file), 0, size, item.origin, std::move(*checked), item.identity};
  }
  if (!std::holds_alternative<Exhausted>(outcome) && is_changed_since(file, found.info)) {
    objects_.forget(item.wanted);
    co_return NotWhole{fmt::format("{}: changed while being read", item.origin), item.identity};
  }
  co_return outcome;
}

Task<Outcome> FolderSource::unpacked(ObjectCache::Item item, Wrapper wrapper, int file) {
  auto kept = co_await objects_.find(item);
  if (kept) co_return std::move(*kept);
  co_return co_await objects_.keep_unpacked(std::move(item), wrapper, file, 0);
}

}  // namespace symcached::fetch
