#include "fetch/part_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace symcached::fetch {

std::expected<PartFile, std::string> PartFile::make(std::uint64_t size) {
  Descriptor file(::memfd_create("symcached parts", MFD_CLOEXEC));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(size)) != 0)
    return std::unexpected(fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
  return PartFile(std::move(file), size);
}

std::expected<void, std::string> PartFile::add(std::uint64_t offset, Bytes bytes) {
  if (known_.size() == kMaxGlimpseParts || offset > size_ || bytes.size() > size_ - offset)
    return std::unexpected("too many parts, or one that is not of the file");
  known_.push_back({offset, bytes.size()});
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::unexpected(fmt::format("cannot write to a file in memory: {}", std::strerror(errno)));
    offset += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace symcached::fetch
