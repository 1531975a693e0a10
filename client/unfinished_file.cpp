#include "client/unfinished_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/hex.hpp"
#include "store/files.hpp"
#include "store/sha256.hpp"

namespace symcached::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameBytes = 16;  ///< of the digest of an identity
constexpr int kAttempts = 4;            ///< against somebody who finishes it as we open it
constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";
constexpr const char* kExtension = ".pending";

/// All of a small file. Empty if there is none, or it is too long.
std::string read_small(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::array<char, kMaxPartState + 1> text;
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (size < 0 || static_cast<std::size_t>(size) == text.size()) return {};
  return {text.data(), static_cast<std::size_t>(size)};
}

/// Empty where the system does not tell.
std::string boot() {
  std::string id = read_small(kBootId);
  while (id.ends_with('\n')) id.pop_back();
  return id;
}

bool is_old(const struct stat& info) {
  const auto age = std::chrono::system_clock::now() - std::chrono::system_clock::from_time_t(info.st_mtime);
  return std::chrono::abs(age) > kOldestPart;
}

/// Whether the name still stands for the open file, which is a plain one of ours and has no other name.
bool is_still(const Descriptor& file, const fs::path& path) {
  struct stat open{}, named{};
  if (::fstat(file.get(), &open) != 0 || ::lstat(path.c_str(), &named) != 0) return false;
  return open.st_ino == named.st_ino && open.st_dev == named.st_dev && S_ISREG(open.st_mode) && open.st_nlink == 1 &&
         open.st_uid == ::geteuid();
}

Descriptor open_locked(const fs::path& path, int flags) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666));
  if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return file;
}

fs::path state_of(fs::path part) { return part.replace_extension(".state"); }

void remove_both(const fs::path& part) {
  ::unlink(part.c_str());
  ::unlink(state_of(part).c_str());
}

}  // namespace

std::optional<UnfinishedFile> UnfinishedFile::open(const fs::path& folder, std::string_view identity, If when) {
  const store::Sha256 digest = store::sha256(as_bytes(identity));
  fs::path path = folder / (to_hex(Bytes(digest).first(kNameBytes)) + kExtension);
  const bool creates = when == If::it_can_be_had;
  std::error_code ignored;
  if (creates) fs::create_directories(folder, ignored);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Descriptor file = open_locked(path, creates ? O_CREAT : 0);
    if (!file) return std::nullopt;
    if (is_still(file, path)) return UnfinishedFile(std::move(file), std::move(path));
  }
  return std::nullopt;
}

/// One that was published is no part any more; its name may be that of another one by now.
UnfinishedFile::~UnfinishedFile() {
  if (!file_ || (is_of_use_ && part())) return;
  if (is_still(file_, path_)) remove_both(path_);
  else ::unlink(state_path().c_str());
}

fs::path UnfinishedFile::state_path() const { return state_of(path_); }

std::optional<UnfinishedFile::Part> UnfinishedFile::part() const {
  struct stat info{};
  if (!is_still(file_, path_) || ::fstat(file_.get(), &info) != 0 || is_old(info)) return std::nullopt;
  const auto state = parse_part_state(read_small(state_path()));
  if (!state || state->boot != boot()) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size == 0 || size > state->announced.size) return std::nullopt;
  return Part{state->announced, std::min(size, state->announced.size - 1)};
}

/// The state goes first and comes before the first byte, so it never stands beside bytes of another file.
int UnfinishedFile::begin(const Announced& announced) {
  if (::unlink(state_path().c_str()) != 0 && errno != ENOENT) return errno;
  if (::ftruncate(file_.get(), 0) != 0) return errno;
  const std::string text = announced.can_be_resumed() ? to_text({boot(), announced}) : std::string();
  if (text.empty()) return 0;
  const Descriptor state(::open(state_path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return state ? store::write_at(state.get(), text.data(), text.size(), 0) : errno;
}

void remove_old_parts(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    struct stat info{};
    if (::lstat(each->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode) || !is_old(info)) continue;
    if (each->path().extension() != kExtension) {
      fs::path part = each->path();
      std::error_code ignored;
      if (!fs::exists(part.replace_extension(kExtension), ignored)) ::unlink(each->path().c_str());
    } else if (const Descriptor file = open_locked(each->path(), 0); file && is_still(file, each->path())) {
      remove_both(each->path());
    }
  }
}

}  // namespace symcached::client
