#pragma once
/// A file that the user named, taken out of what it is packed in.
#include <expected>
#include <filesystem>
#include <optional>
#include <string>

#include "base/inflate_limits.hpp"
#include "base/mapped_file.hpp"
#include "object/unwrap.hpp"

namespace symcached::symbolize {

/// A member of an archive, as people write it: "lib.a(x.o)", "lib.a(x.o:2)".
struct ArchiveMemberPath {
  std::filesystem::path archive;
  std::string member;  ///< empty: none was named
};
/// Nothing is named by a path that is a file, or that does not end with a closing bracket.
ArchiveMemberPath archive_member_in(const std::filesystem::path& path);

/// Of a dSYM, which is a folder, the file in it, if there is one alone; otherwise the path as it is.
std::filesystem::path debug_file_in(const std::filesystem::path& path);

class OriginalFile {
 public:
  /// @param path  "lib.a(x.o)" for a member of an archive; of an archive with one member its path is enough
  /// @return the file, or a sentence that names it and what went wrong
  /// @param limits  of what is packed, in wrappers and inside the file
  static std::expected<OriginalFile, std::string> open(const std::filesystem::path& path,
                                                       const InflateLimits& limits = {});

  /// What is inside all wrappers; lives as long as this object, wherever it is moved.
  Bytes bytes() const { return member_ ? *member_ : whole(); }
  bool is_unwrapped() const { return unwrapped_.has_value(); }  ///< bytes() are in memory
  std::size_t size_on_disk() const { return mapped_.bytes().size(); }
  /// For what is compressed in bytes().
  const InflateLimits& inflate() const { return inflate_; }
  /// Of a file that is not packed: pages read so far may go.
  void release_pages() const { mapped_.release_pages(); }

 private:
  Bytes whole() const { return unwrapped_ ? unwrapped_->file.bytes() : mapped_.bytes(); }
  std::expected<void, std::string> choose_member(const ArchiveMemberPath& named, const InflateLimits& limits);

  MappedFile mapped_;
  std::optional<object::Unwrapped> unwrapped_;
  std::optional<Bytes> member_;  ///< of the archive that this is
  InflateLimits inflate_;
};

}  // namespace symcached::symbolize
