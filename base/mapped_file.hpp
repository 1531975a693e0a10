#pragma once
/// A file mapped read-only. The one way the program looks at files larger than a page.
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>

#include "base/bytes.hpp"

namespace symcached {

/// Owns a read-only mapping; views into bytes() live as long as it does, whatever happens to the name on disk.
/// Cost: one open, one fstat, one mmap. A file that shrinks while mapped raises SIGBUS on access, so only files
/// nobody writes in place are mapped: published entries, and files the user named.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// @return the mapping, or a sentence that names the file, what went wrong and errno's text
  static std::expected<MappedFile, std::string> open(const std::filesystem::path& path);
  static std::expected<MappedFile, std::string> from_descriptor(int descriptor, const std::filesystem::path& name);

  Bytes bytes() const { return bytes_; }
  /// Takes the pages read so far out of this process; they come back from the system's cache when touched.
  void release_pages() const;

 private:
  explicit MappedFile(Bytes bytes) : bytes_(bytes) {}
  Bytes bytes_;
};

}  // namespace symcached
