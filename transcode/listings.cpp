#include "transcode/listings.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "transcode/folder.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

constexpr std::size_t kMostListings = 65'536;
constexpr std::chrono::seconds kTimePrecision{1};
/// A root that takes longer to read is read only so often that it takes at most this part of the time.
constexpr std::chrono::milliseconds kCheapRoot{5};
constexpr int kRootShare = 20;

/// As WPA, its sample server and other tools write it: each half in upper or lower case.
std::vector<std::string> spellings_of(const DebugId& id) {
  std::vector<std::string> all;
  for (const std::string& guid : {id.guid.hex_upper(), id.guid.hex_lower()})
    for (const std::string& age : {fmt::format("{:X}", id.age), fmt::format("{:x}", id.age)})
      if (std::ranges::find(all, guid + age) == all.end()) all.push_back(guid + age);
  return all;
}

/// Of a regular file that is not empty, its size; 0 of anything else.
std::uint64_t size_of(int folder, const char* name) {
  const auto info = look_at(folder, name);
  return info && S_ISREG(info->st_mode) ? static_cast<std::uint64_t>(info->st_size) : 0;
}

void sort(std::vector<Held>& files) {
  std::ranges::sort(files, {},
                    [](const Held& h) { return std::tuple(h.version, -static_cast<int>(h.generation), h.path); });
}

}  // namespace

Listings::Key Listings::key_of(std::string_view pdb_name, const DebugId& id) { return {lower_ascii(pdb_name), id}; }

std::size_t Listings::KeyHash::operator()(const Key& key) const {
  std::uint64_t part = 0;  // a GUID is as good as a random number
  std::memcpy(&part, key.id.guid.bytes.data(), sizeof part);
  return std::hash<std::string>()(key.name) ^ (part + key.id.age);
}

bool Listings::has_settled(const store::FileStamp& stamp) const {
  return Clock::time_point(std::chrono::nanoseconds(stamp.changed_ns)) + kTimePrecision < now_();
}

bool Listings::is_current(const Listing& listing) const {
  return std::ranges::all_of(listing.folders, [](const Watched& folder) {
    struct stat info{};
    return ::lstat(folder.path.c_str(), &info) == 0 && store::stamp_of(info) == folder.stamp;
  });
}

/// A file in the root itself: of generation 2, or of generation 3 with the whole path for a name.
/// @return whether it is one by its name
bool Listings::add_flat(int folder, const char* name) {
  const auto place = wpt::parse_place(name);
  const auto file = wpt::parse_file_name(name);
  const auto* image = file ? std::get_if<wpt::ImagePdbFile>(&*file) : nullptr;
  if (!place && image == nullptr) return false;
  const std::uint64_t size = size_of(folder, name);
  if (size == 0) root_settled_ = false;  // it is being written, and no folder changes when it is complete
  else if (place)
    flat_[key_of(place->file.pdb, place->id)].push_back({place->file.version, Generation::pdb, size, "", name});
  else flat_[key_of("", image->id)].push_back({wpt::kSecondVersion, Generation::image_pdb, size, image->image, name});
  return true;
}

void Listings::read_root(int folder) {
  folders_.clear();
  flat_.clear();
  ++folders_read_;
  read_folder(folder, [&](const char* name) {
    if (!add_flat(folder, name)) folders_[lower_ascii(name)].push_back(name);
  });
}

void Listings::refresh_root() {
  struct stat info{};
  if (::lstat(root_.c_str(), &info) != 0) info = {};
  const store::FileStamp stamp = store::stamp_of(info);
  if (root_settled_ && stamp == root_stamp_) return;
  const auto begin = now_();
  if (root_cost_ > kCheapRoot && begin - root_read_ < root_cost_ * kRootShare && begin >= root_read_) return;
  root_settled_ = has_settled(stamp);
  root_stamp_ = stamp;
  if (const Descriptor folder = open_folder(AT_FDCWD, root_.c_str())) read_root(folder.get());
  ++root_serial_;
  root_read_ = now_();
  root_cost_ = root_read_ - begin;
}

void Listings::read_id(Listing& listing, std::vector<Held>& files, const std::string& folder,
                       std::string_view pdb_name) {
  const std::string path = (root_ / folder).string();
  const Descriptor opened = open_folder(AT_FDCWD, path.c_str());
  struct stat info{};
  if (!opened || ::fstat(opened.get(), &info) != 0) return;
  const store::FileStamp stamp = store::stamp_of(info);
  const auto is_same = [&](const Watched& w) { return w.stamp.device == stamp.device && w.stamp.inode == stamp.inode; };
  if (std::ranges::any_of(listing.folders, is_same)) return;  // a file system that takes all spellings for one
  listing.folders.push_back({path, stamp});
  ++folders_read_;
  read_folder(opened.get(), [&](const char* name) {
    const auto file = wpt::parse_file_name(name);
    const auto* pdb = file ? std::get_if<wpt::PdbFile>(&*file) : nullptr;
    if (pdb == nullptr || lower_ascii(pdb->pdb) != lower_ascii(pdb_name)) return;
    const std::uint64_t size = size_of(opened.get(), name);
    if (size == 0) listing.folders.back().stamp = {};  // looked at again by the next request
    else files.push_back({pdb->version, Generation::pdb, size, "", folder + '/' + name});
  });
}

void Listings::read_name(Listing& listing, std::vector<Held>& files, const std::string& spelling, const DebugId& id) {
  const std::string path = (root_ / spelling).string();
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return;
  listing.folders.push_back({path, store::stamp_of(info)});
  for (const std::string& folder : spellings_of(id)) read_id(listing, files, spelling + '/' + folder, spelling);
}

std::shared_ptr<const Listings::Listing> Listings::read(std::string_view pdb_name, const DebugId& id) {
  auto listing = std::make_shared<Listing>();
  listing->root = root_serial_;
  std::vector<Held> files;
  if (const auto found = folders_.find(lower_ascii(pdb_name)); found != folders_.end())
    for (const std::string& spelling : found->second) read_name(*listing, files, spelling, id);
  for (const Key& key : {key_of(pdb_name, id), key_of("", id)})
    if (const auto found = flat_.find(key); found != flat_.end())
      files.insert(files.end(), found->second.begin(), found->second.end());
  sort(files);
  listing->files = std::make_shared<const std::vector<Held>>(std::move(files));
  return listing;
}

/// When there are too many, every other one is forgotten.
void Listings::keep(Key key, Kept kept) {
  if (!std::ranges::all_of(kept.listing->folders, [&](const Watched& w) { return has_settled(w.stamp); })) {
    listings_.erase(key);
    return;
  }
  if (listings_.size() >= kMostListings)
    std::erase_if(listings_, [odd = false](const auto&) mutable { return odd = !odd; });
  listings_.insert_or_assign(std::move(key), std::move(kept));
}

HeldFiles Listings::find(std::string_view pdb_name, const DebugId& id) {
  Key key = key_of(pdb_name, id);
  const std::scoped_lock lock(mutex_);
  const std::uint64_t distrusts = distrusts_;
  const auto now = std::chrono::steady_clock::now();
  const auto known = listings_.find(key);
  if (known != listings_.end() && known->second.distrusts == distrusts && now - known->second.looked_at < trusted_)
    return known->second.listing->files;
  refresh_root();
  if (known != listings_.end() && known->second.listing->root == root_serial_ && is_current(*known->second.listing)) {
    known->second.looked_at = now;
    known->second.distrusts = distrusts;
    return known->second.listing->files;
  }
  const auto listing = read(pdb_name, id);
  keep(std::move(key), {listing, now, distrusts});
  return listing->files;
}

std::vector<std::string> Listings::spellings(std::string_view pdb_name) {
  const std::scoped_lock lock(mutex_);
  refresh_root();
  const auto found = folders_.find(lower_ascii(pdb_name));
  if (found == folders_.end()) return {};
  std::vector<std::string> all = found->second;
  std::ranges::stable_partition(all, [&](const std::string& spelling) { return spelling == pdb_name; });
  return all;
}

void Listings::published(const std::string& spelling) {
  const std::scoped_lock lock(mutex_);
  auto& known = folders_[lower_ascii(spelling)];
  if (std::ranges::find(known, spelling) != known.end()) return;
  known.push_back(spelling);
  ++root_serial_;
}

std::uint64_t Listings::folders_read() const {
  const std::scoped_lock lock(mutex_);
  return folders_read_;
}

}  // namespace symcached::transcode
