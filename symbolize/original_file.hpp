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

/// Of a dSYM, which is a folder, the file in it, if there is one alone; otherwise the path as it is.
std::filesystem::path debug_file_in(const std::filesystem::path& path);

class OriginalFile {
 public:
  /// @return the file, or a sentence that names it and what went wrong
  /// @param limits  of what is packed, in wrappers and inside the file
  static std::expected<OriginalFile, std::string> open(const std::filesystem::path& path,
                                                       const InflateLimits& limits = {});

  /// What is inside all wrappers; lives as long as this object, wherever it is moved.
  Bytes bytes() const { return unwrapped_ ? unwrapped_->file.bytes() : mapped_.bytes(); }
  bool is_unwrapped() const { return unwrapped_.has_value(); }  ///< bytes() are in memory
  std::size_t size_on_disk() const { return mapped_.bytes().size(); }
  /// For what is compressed in bytes().
  const InflateLimits& inflate() const { return inflate_; }
  /// Of a file that is not packed: pages read so far may go.
  void release_pages() const { mapped_.release_pages(); }

 private:
  MappedFile mapped_;
  std::optional<object::Unwrapped> unwrapped_;
  InflateLimits inflate_;
};

}  // namespace symcached::symbolize
