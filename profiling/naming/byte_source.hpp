#pragma once
/// Where the bytes of an ELF file come from.
#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/descriptor.hpp"

namespace symcached::pprof {

/// Bytes by their offset in a file. Copies are handed out, since a mapped file that someone truncates would end the
/// program that is being profiled.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// @return nothing if the range is not there whole, or is longer than kMaxPiece
  std::optional<Buffer> read(std::uint64_t offset, std::uint64_t size) const;
  virtual std::uint64_t size() const = 0;

  static constexpr std::uint64_t kMaxPiece = std::uint64_t{1} << 31;

 private:
  /// `offset` and `size` are within size().
  virtual bool read_to(std::byte* out, std::uint64_t offset, std::size_t size) const = 0;
};

/// A regular file.
class FileSource : public ByteSource {
 public:
  /// @return null for what cannot be opened or is no regular file. Never waits for a FIFO's writer.
  static std::unique_ptr<FileSource> open(const std::string& path);

  std::uint64_t size() const override { return static_cast<std::uint64_t>(status_.st_size); }
  const struct stat& status() const { return status_; }

 private:
  FileSource(Descriptor file, const struct stat& status) : file_(std::move(file)), status_(status) {}
  bool read_to(std::byte* out, std::uint64_t offset, std::size_t size) const override;

  Descriptor file_;
  struct stat status_;
};

/// Parts of a file that are in memory.
class MemorySource : public ByteSource {
 public:
  struct Piece {
    std::uint64_t offset = 0;  ///< in the file
    Buffer bytes;
  };
  explicit MemorySource(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  std::uint64_t size() const override;

 private:
  bool read_to(std::byte* out, std::uint64_t offset, std::size_t size) const override;

  std::vector<Piece> pieces_;
};

}  // namespace symcached::pprof
