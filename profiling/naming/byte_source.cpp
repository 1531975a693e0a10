#include "profiling/naming/byte_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace symcached::pprof {

std::optional<Buffer> ByteSource::read(std::uint64_t offset, std::uint64_t size) const {
  if (offset > this->size() || size > this->size() - offset || size > kMaxPiece) return std::nullopt;
  Buffer out(static_cast<std::size_t>(size));
  if (!read_to(out.data(), offset, out.size())) return std::nullopt;
  return out;
}

std::unique_ptr<FileSource> FileSource::open(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  return std::unique_ptr<FileSource>(new FileSource(std::move(file), status));
}

bool FileSource::read_to(std::byte* out, std::uint64_t offset, std::size_t size) const {
  while (size != 0) {
    const ssize_t got = ::pread(file_.get(), out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::uint64_t MemorySource::size() const {
  std::uint64_t end = 0;
  for (const Piece& piece : pieces_)
    end = std::max(end, piece.offset + std::min<std::uint64_t>(piece.bytes.size(), ~piece.offset));
  return end;
}

bool MemorySource::read_to(std::byte* out, std::uint64_t offset, std::size_t size) const {
  for (const Piece& piece : pieces_) {
    if (offset < piece.offset) continue;
    const std::uint64_t skipped = offset - piece.offset;
    if (skipped > piece.bytes.size() || size > piece.bytes.size() - skipped) continue;
    if (size != 0) std::memcpy(out, piece.bytes.bytes().data() + skipped, size);
    return true;
  }
  return false;
}

}  // namespace symcached::pprof
