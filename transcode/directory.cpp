#include "transcode/directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/hex.hpp"
#include "base/utf8.hpp"
#include "transcode/folder.hpp"
#include "transcode/seal.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigestDigits = 32;  ///< of the SHA-256 in an ETag

std::int64_t nanoseconds(const timespec& time) {
  return (std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)).count();
}

std::string etag_of(const wpt::Version& version, const store::Head& head) {
  return fmt::format("\"{}-{}\"", version.to_string(), to_hex(head.payload_sha256).substr(0, kDigestDigits));
}

/// Without links, but for those that the kernel follows in its own way, as /proc/PID/root: their text leads elsewhere.
fs::path resolved(const fs::path& path, std::error_code& error) {
  fs::path canonical = fs::canonical(path, error);
  std::error_code other;
  const bool is_same = !error && fs::equivalent(path, canonical, other);
  if (is_same) return canonical;
  error.clear();
  return fs::absolute(path, error);
}

}  // namespace

SymcacheDirectory::SymcacheDirectory(fs::path root, DirectoryOptions options)
    : root_(std::move(root)),
      log_(options.log ? std::move(options.log) : [](Severity, const std::string&) {}),
      listings_(root_, std::move(options.now), options.trusted),
      hot_(root_.native()),
      jobs_(root_ / kOwnFolder / "jobs"),
      quarantine_(root_ / kOwnFolder / "quarantine") {}

std::expected<std::unique_ptr<SymcacheDirectory>, std::string> SymcacheDirectory::open(fs::path path,
                                                                                       DirectoryOptions options) {
  std::error_code error;
  fs::create_directories(path, error);
  const fs::path root = error ? fs::path() : resolved(path, error);
  if (error || !fs::is_directory(root, error))
    return std::unexpected(fmt::format("{}: cannot be the SymCache directory: {}", path.string(),
                                       error ? error.message() : "it is no directory"));
  if (fs::is_regular_file(root / kOwnFolder, error))
    return std::unexpected(
        fmt::format("{}: is a cache directory of symcached; the SymCache directory must be another", path.string()));
  std::unique_ptr<SymcacheDirectory> directory(new SymcacheDirectory(root, std::move(options)));
  if (const std::size_t removed = directory->jobs_.remove_left_overs(); removed != 0)
    directory->log_(Severity::info,
                    fmt::format("{}: removed the files of {} runs that have ended", root.string(), removed));
  return directory;
}

HeldFiles SymcacheDirectory::find(std::string_view pdb_name, const DebugId& id, std::string_view image) {
  const auto is_named = [&](const Held& held) {
    return held.generation == Generation::pdb || wpt::is_image_of(held.image, pdb_name) ||
           (!image.empty() && wpt::same_name(held.image, image));
  };
  HeldFiles listed = listings_.find(pdb_name, id);
  if (std::ranges::all_of(*listed, is_named)) return listed;
  auto found = std::make_shared<std::vector<Held>>();
  std::ranges::copy_if(*listed, std::back_inserter(*found), is_named);
  return found;
}

/// No link in it is followed, so whoever may write to the directory cannot make us send files from elsewhere.
Descriptor SymcacheDirectory::open_file(const std::string& relative) const {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH;
  const Descriptor root = open_folder(AT_FDCWD, root_.c_str());
  return Descriptor(static_cast<int>(::syscall(SYS_openat2, root.get(), relative.c_str(), &how, sizeof how)));
}

/// Reads all of it. A head of null: it is not what we put there.
store::Checked SymcacheDirectory::read(const Descriptor& file, const store::FileStamp& stamp) {
  const auto content = content_seal(file.get());
  const auto written = read_seal(file.get());
  if (!content || (written && *written != *content)) return {stamp, nullptr};
  return {stamp, head_of(*content)};
}

SharedSymcache SymcacheDirectory::open_known(const Held& held) {
  if (auto kept = hot_.find(held.path)) return kept;
  struct stat info{};
  if (::lstat((root_.native() + '/' + held.path).c_str(), &info) != 0) {
    hot_.drop(held.path);
    return nullptr;
  }
  return checked_.find(held.path, store::stamp_of(info)) ? open(held) : nullptr;
}

SharedSymcache SymcacheDirectory::open(const Held& held) {
  auto opened = open_checked(held);
  if (!opened) listings_.look_again();
  return opened;
}

SharedSymcache SymcacheDirectory::open_checked(const Held& held) {
  auto file = std::make_shared<Descriptor>(open_file(held.path));
  struct stat info{};
  if (!*file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return nullptr;
  const store::FileStamp stamp = store::stamp_of(info);
  auto checked = checked_.find(held.path, stamp);
  if (!checked) {
    checked = read(*file, stamp);
    if (::fstat(file->get(), &info) != 0 || store::stamp_of(info) != stamp) return nullptr;  // being written
    if (!checked->head) move_away(held.path);
    else if (listings_.has_settled(stamp)) checked_.put(held.path, *checked);
  }
  if (!checked->head) return nullptr;
  auto symcache = std::make_shared<const OpenSymcache>(OpenSymcache{std::move(file), stamp.size, held.version,
                                                                    etag_of(held.version, *checked->head), held.path,
                                                                    nanoseconds(info.st_mtim)});
  return listings_.has_settled(stamp) ? hot_.keep(stamp, symcache) : symcache;
}

void SymcacheDirectory::move_away(const std::string& relative) {
  std::string where;
  const auto outcome = [&]() -> std::string {
    switch (quarantine_.take(root_ / relative, where)) {
      case Quarantine::Taken::kept: return "moved to " + where;
      case Quarantine::Taken::too_large: return "deleted, as it is too large to be kept";
      case Quarantine::Taken::still_there: break;
    }
    return "it could not be moved away and is not served";
  };
  log_(Severity::warning,
       fmt::format("{}: its content is not what was written there; {}", escaped(relative), outcome()));
}

}  // namespace symcached::transcode
