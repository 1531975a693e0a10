#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace symcached {
namespace {

std::unexpected<std::string> failed(const std::filesystem::path& path, const char* doing) {
  return std::unexpected(fmt::format("cannot {} {}: {}", doing, path.string(), std::strerror(errno)));
}

constexpr std::size_t kMostOfNoSize = std::size_t{1} << 30;  ///< bytes

/// Files of the kernel (/proc/kallsyms) say that they are empty, and are not. What they hold is copied into memory that
/// can be mapped like a file.
/// @return its descriptor; -1: an errno says why not
int copy_of(int descriptor, std::string_view start, std::size_t& size) {
  const int copy = ::memfd_create("copy", MFD_CLOEXEC);
  if (copy < 0) return -1;
  std::string buffer(std::size_t{1} << 16, '\0');
  for (std::string_view piece = start; !piece.empty();) {
    const ssize_t written = ::write(copy, piece.data(), piece.size());
    if (written <= 0 || size + static_cast<std::size_t>(written) > kMostOfNoSize) return ::close(copy), -1;
    size += static_cast<std::size_t>(written);
    piece.remove_prefix(static_cast<std::size_t>(written));
    if (!piece.empty()) continue;
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0) return ::close(copy), -1;
    piece = std::string_view(buffer).substr(0, static_cast<std::size_t>(got));
  }
  return copy;
}

std::expected<Bytes, std::string> map_without_size(int descriptor, const std::filesystem::path& name) {
  char start[4096];
  const ssize_t got = ::read(descriptor, start, sizeof start);
  if (got < 0) return failed(name, "read");
  if (got == 0) return Bytes();
  std::size_t size = 0;
  const int copy = copy_of(descriptor, {start, static_cast<std::size_t>(got)}, size);
  if (copy < 0) return failed(name, "copy");
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, copy, 0);
  ::close(copy);
  if (address == MAP_FAILED) return failed(name, "map");
  return Bytes(static_cast<const std::byte*>(address), size);
}

}  // namespace

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_pages() const {
  if (!bytes_.empty()) ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

std::expected<MappedFile, std::string> MappedFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed(path, "open");
  auto mapped = from_descriptor(descriptor, path);
  ::close(descriptor);
  return mapped;
}

std::expected<MappedFile, std::string> MappedFile::from_descriptor(int descriptor, const std::filesystem::path& name) {
  struct stat info{};
  if (::fstat(descriptor, &info) != 0) return failed(name, "stat");
  if (!S_ISREG(info.st_mode)) return std::unexpected(fmt::format("{}: not a regular file", name.string()));
  if (info.st_size == 0) {
    const auto bytes = map_without_size(descriptor, name);
    if (!bytes) return std::unexpected(bytes.error());
    return MappedFile(*bytes);
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return failed(name, "map");
  return MappedFile(Bytes(static_cast<const std::byte*>(address), size));
}

}  // namespace symcached
