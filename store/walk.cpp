#include "store/walk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/descriptor.hpp"
#include "store/journal.hpp"
#include "store/key_lock.hpp"
#include "store/marker.hpp"
#include "store/work_list.hpp"

namespace symcached::store {
namespace {

constexpr std::size_t kLeaf = 4;  ///< depth of entries: kind, version, scope, two digits

/// What a directory's name lacks to be a place, by depth.
constexpr std::array<std::string_view, 3> kRestOfPlace{"/v0/x", "/x", ""};

constexpr std::array<std::string_view, 8> kOursAtTop{kMarkerName,  kTagName,        kJournalName, kLocksName,
                                                     kRefreshList, kRefreshListNew, "tmp",        "lost+found"};

bool is_two_digits(std::string_view name) {
  return name.size() == 2 &&
         std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string_view what_it_is(const struct stat& info) {
  if (S_ISLNK(info.st_mode)) return "a symbolic link";
  if (S_ISDIR(info.st_mode)) return "a directory where an entry belongs";
  return S_ISREG(info.st_mode) ? "a file where a directory belongs" : "neither a file nor a directory";
}

class Walk {
 public:
  explicit Walk(const Visitor& visitor) : visitor_(visitor) {}

  /// Takes the descriptor. @param depth  0: the cache directory itself
  /// @return whether to go on
  bool folder(Descriptor opened, std::size_t depth) {
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(opened.get()), &::closedir);
    if (!listing) {
      unreadable();
      return true;
    }
    opened.release();
    const std::size_t size = name_.size();
    bool go_on = true;
    while (const dirent* next = go_on ? ::readdir(listing.get()) : nullptr) {
      const std::string_view leaf = next->d_name;
      if (leaf == "." || leaf == ".." || (depth == 0 && std::ranges::find(kOursAtTop, leaf) != kOursAtTop.end()))
        continue;
      if (size != 0) name_ += '/';
      name_ += leaf;
      go_on = one(::dirfd(listing.get()), next->d_name, depth);
      name_.resize(size);
    }
    return go_on;
  }

 private:
  bool one(int folder_above, const char* leaf, std::size_t depth) {
    struct stat info{};
    if (::fstatat(folder_above, leaf, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) unreadable();
    } else if (depth == kLeaf ? !S_ISREG(info.st_mode) : !S_ISDIR(info.st_mode)) {
      other(what_it_is(info));
    } else if (depth == kLeaf) {
      entry(info, folder_above);
    } else if (!is_name_at(depth, leaf)) {
      other("a directory of another name than those of a cache");
    } else if (Descriptor opened(::openat(folder_above, leaf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
               opened) {
      if (!folder(std::move(opened), depth + 1)) return false;
      return !visitor_.left || visitor_.left({folder_above, leaf, depth + 1 == kLeaf});
    } else if (errno != ENOENT) {
      unreadable();
    }
    return true;
  }

  bool is_name_at(std::size_t depth, std::string_view leaf) const {
    if (depth == kRestOfPlace.size()) return is_two_digits(leaf);
    return parse_place(name_ + std::string(kRestOfPlace[depth])).has_value();
  }

  void entry(const struct stat& info, int folder) const {
    const auto parsed = parse_entry_name(name_);
    const auto place = parsed ? parse_place(parsed->place) : std::nullopt;
    if (!place) return other("a file of another name than those of entries");
    if (visitor_.entry) visitor_.entry(FoundEntry{name_, *place, info, folder});
  }

  void other(std::string_view what) const {
    if (visitor_.other) visitor_.other(name_, what);
  }
  void unreadable() const {
    if (visitor_.unreadable) visitor_.unreadable(name_, std::strerror(errno));
  }

  const Visitor& visitor_;
  std::string name_;
};

}  // namespace

TimePoint FoundEntry::last_use() const {
  const auto since = std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
  return TimePoint(std::chrono::floor<Milliseconds>(since));
}

std::expected<bool, std::string> walk(const std::filesystem::path& directory, const Visitor& visitor) {
  const auto refuse = [&](std::string_view what) {
    return std::unexpected(fmt::format("cache directory {}: {}", directory.string(), what));
  };
  Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return refuse(fmt::format("cannot open: {}", std::strerror(errno)));
  struct stat marker{};
  if (::fstatat(opened.get(), kMarkerName.data(), &marker, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(marker.st_mode))
    return refuse(fmt::format("not marked as a cache (no {})", kMarkerName));
  return Walk(visitor).folder(std::move(opened), 0);
}

}  // namespace symcached::store
