#include "transcode/job_folders.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "transcode/folder.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGuard = "guard";  ///< locked while a run starts or is removed
constexpr const char* kLock = "lock";    ///< in a run's folder, locked while it lives

/// Locked, or no descriptor; errno says why.
Descriptor lock_file(const fs::path& path, int how) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file && ::flock(file.get(), how) != 0) return {};
  return file;
}

std::optional<fs::path> make_random_folder(const fs::path& parent) {
  std::string name = (parent / "XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return std::nullopt;
  return name;
}

}  // namespace

JobFolder::~JobFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

JobFolders::~JobFolders() {
  std::error_code ignored;
  if (!run_.empty()) fs::remove_all(run_, ignored);
}

std::expected<void, store::Failure> JobFolders::start_run() {
  std::error_code error;
  fs::create_directories(place_, error);
  if (error) return std::unexpected(store::failure(place_, "create the directory", error.value()));
  const Descriptor guard = lock_file(place_ / kGuard, LOCK_EX);
  const auto run = make_random_folder(place_);
  if (!run) return std::unexpected(store::failure(place_, "create a directory in", errno));
  lock_ = lock_file(*run / kLock, LOCK_EX | LOCK_NB);
  run_ = *run;
  return {};
}

std::expected<JobFolder, store::Failure> JobFolders::create() {
  const std::scoped_lock lock(mutex_);
  if (run_.empty() || ::access(run_.c_str(), F_OK) != 0)
    if (auto started = start_run(); !started) return std::unexpected(std::move(started.error()));
  auto folder = make_random_folder(run_);
  if (!folder) return std::unexpected(store::failure(run_, "create a directory in", errno));
  return JobFolder(std::move(*folder));
}

std::size_t JobFolders::remove_left_overs() {
  const std::scoped_lock lock(mutex_);
  const Descriptor place = open_folder(AT_FDCWD, place_.c_str());
  const Descriptor guard = place ? lock_file(place_ / kGuard, LOCK_EX) : Descriptor();
  if (!guard) return 0;
  std::vector<fs::path> left;
  read_folder(place.get(), [&](const char* name) {
    const auto info = look_at(place.get(), name);
    if (!info || !S_ISDIR(info->st_mode) || place_ / name == run_) return;
    if (lock_file(place_ / name / kLock, LOCK_EX | LOCK_NB)) left.push_back(place_ / name);
  });
  std::size_t removed = 0;
  for (const fs::path& run : left) {
    std::error_code error;
    fs::remove_all(run, error);
    if (!error) ++removed;
  }
  return removed;
}

}  // namespace symcached::transcode
