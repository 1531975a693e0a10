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
  if (info.st_size == 0) return MappedFile();
  const auto size = static_cast<std::size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return failed(name, "map");
  return MappedFile(Bytes(static_cast<const std::byte*>(address), size));
}

}  // namespace symcached
