#include "transcode/placing.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "store/files.hpp"

namespace symcached::transcode {
namespace {

constexpr std::size_t kCopySize = 1 << 20;

/// What the system cannot copy by itself. @return 0, or errno
int copy_by_hand(const Original& original, std::uint64_t done, int to) {
  std::vector<char> buffer(kCopySize);
  while (done < original.size) {
    const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), original.size - done);
    const ssize_t n = ::pread(original.file->get(), buffer.data(), wanted, static_cast<off_t>(original.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;  // it became shorter
    if (const int error = store::write_at(to, buffer.data(), static_cast<std::size_t>(n), done); error != 0)
      return error;
    done += static_cast<std::uint64_t>(n);
  }
  return 0;
}

}  // namespace

int place(const Original& original, const std::filesystem::path& target, mode_t mode) {
  const Descriptor to(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!to) return errno;
  off64_t from = static_cast<off64_t>(original.offset), at = 0;
  while (static_cast<std::uint64_t>(at) < original.size) {
    const std::size_t left = original.size - static_cast<std::uint64_t>(at);
    const ssize_t n = ::copy_file_range(original.file->get(), &from, to.get(), &at, left, 0);
    if (n <= 0) break;
  }
  return copy_by_hand(original, static_cast<std::uint64_t>(at), to.get());
}

}  // namespace symcached::transcode
