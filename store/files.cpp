#include "store/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace symcached::store {

Failure failure(const std::filesystem::path& path, std::string_view doing, int error) {
  return {error, fmt::format("cannot {} {}: {}", doing, path.string(), std::strerror(error))};
}

std::expected<Descriptor, int> open_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return std::unexpected(errno);
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : file_(std::move(other.file_)), name_(std::exchange(other.name_, std::filesystem::path())) {}

NewFile& NewFile::operator=(NewFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(name_, other.name_);
  return *this;
}

NewFile::~NewFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

int write_at(int file, const void* data, std::size_t size, std::uint64_t offset) {
  const char* at = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t n = ::pwrite(file, at, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    at += n;
    size -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return 0;
}

}  // namespace symcached::store
