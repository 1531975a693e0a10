#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sources/file_name.hpp"
#include "transcode/directory.hpp"
#include "transcode/folder.hpp"
#include "transcode/seal.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 4;  ///< against somebody who deletes folders as we create them

/// The folder of that name, created if it is missing. No descriptor: errno says why.
Descriptor make_folder(int parent, const std::string& name) {
  if (::mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) return {};
  return open_folder(parent, name.c_str());
}

/// The name by which a folder has that version, in any case; empty if it has none. An empty file is none.
std::string name_of(int folder, const wpt::PdbFile& wanted) {
  std::string found;
  read_folder(folder, [&](const char* name) {
    const auto file = wpt::parse_file_name(name);
    const auto* pdb = file ? std::get_if<wpt::PdbFile>(&*file) : nullptr;
    if (pdb == nullptr || pdb->version != wanted.version || !wpt::same_name(pdb->pdb, wanted.pdb)) return;
    const auto info = look_at(folder, name);
    if (info && S_ISREG(info->st_mode) && info->st_size != 0) found = name;
  });
  return found;
}

std::string spelling_of(int name_folder, const DebugId& id) {
  std::string found = wpt::folder_name(id);
  if (look_at(name_folder, found.c_str())) return found;
  read_folder(name_folder, [&](const char* name) {
    if (wpt::parse_folder_name(name) == id) found = name;
  });
  return found;
}

/// @return 0, or errno
int move_into(int folder, const fs::path& file, const std::string& name) {
  if (::renameat2(AT_FDCWD, file.c_str(), folder, name.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EEXIST && errno != EINVAL && errno != ENOSYS) return errno;
  const auto info = look_at(folder, name.c_str());  // EINVAL: the file system cannot tell
  if (info && S_ISREG(info->st_mode) && info->st_size != 0) return 0;
  return ::renameat(AT_FDCWD, file.c_str(), folder, name.c_str()) == 0 ? 0 : errno;
}

/// @param path  becomes where it is, relative to the root
/// @return 0, or errno. A rename lost in a power cut is a miss, so a failure of fsync() is not one of publishing.
int put(int root, const std::string& spelling, const wpt::PdbPlace& place, const fs::path& file, std::string& path) {
  const Descriptor name_folder = make_folder(root, spelling);
  if (!name_folder) return errno;
  const std::string id_name = spelling_of(name_folder.get(), place.id);
  const Descriptor folder = make_folder(name_folder.get(), id_name);
  if (!folder) return errno;
  std::string name = name_of(folder.get(), place.file);
  if (name.empty()) {
    name = *wpt::to_string(wpt::SymcacheFile(place.file));
    if (const int error = move_into(folder.get(), file, name); error != 0) return error;
    for (const int synced : {folder.get(), name_folder.get(), root}) ::fsync(synced);
  }
  path = spelling + '/' + id_name + '/' + name;
  return 0;
}

}  // namespace

std::expected<void, store::Failure> SymcacheDirectory::publish(const fs::path& file, std::string_view pdb_name,
                                                               const DebugId& id, const wpt::Version& version) {
  const wpt::PdbPlace place{{std::string(pdb_name), version}, id};
  if (const auto ok = sources::check_file_name(pdb_name); !ok)
    return std::unexpected(store::Failure{EINVAL, "cannot keep a symcache: " + ok.error()});
  if (!wpt::to_string(place)) return std::unexpected(store::failure(root_, "name a symcache in", ENAMETOOLONG));
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened) return std::unexpected(store::failure(file, "open", errno));
  const auto seal = content_seal(opened.get());
  if (!seal || seal->size == 0) return std::unexpected(store::failure(file, "read", seal ? ENODATA : EIO));
  write_seal(opened.get(), *seal);
  if (::fsync(opened.get()) != 0) return std::unexpected(store::failure(file, "sync", errno));

  const std::vector<std::string> spellings = listings_.spellings(pdb_name);
  const std::string spelling = spellings.empty() ? place.file.pdb : spellings.front();
  std::string path;
  int error = ENOENT;
  for (int attempt = 0; attempt < kAttempts && error == ENOENT; ++attempt) {
    const Descriptor root = open_folder(AT_FDCWD, root_.c_str());
    error = root ? put(root.get(), spelling, place, file, path) : errno;
  }
  if (error != 0) return std::unexpected(store::failure(root_ / spelling, "publish a symcache in", error));
  struct stat info{};
  if (::fstat(opened.get(), &info) == 0) checked_.put(path, {store::stamp_of(info), head_of(*seal)});
  listings_.published(spelling);
  look_again();
  return {};
}

}  // namespace symcached::transcode
