#pragma once
/// A symcache on its way: a file in a folder for work in progress, which is there from the first byte on.
#include <expected>
#include <filesystem>
#include <optional>
#include <string>

#include "base/byte_sink.hpp"
#include "base/descriptor.hpp"
#include "transcode/directory.hpp"

namespace symcached::client {

/// Removed with its folder when dropped; what a killed process leaves is named *.pending and removed by the next one.
class IncomingFile {
 public:
  explicit IncomingFile(transcode::SymcacheDirectory& directory) : directory_(directory) {}

  /// A sink that writes from the file's start; what was there before is gone. It does not outlive the file.
  std::expected<ByteSink, std::string> begin();
  std::filesystem::path path() const { return job_->path() / "symcache.pending"; }  ///< once it was begun

 private:
  std::expected<void, std::string> append(Bytes piece);

  transcode::SymcacheDirectory& directory_;
  std::optional<transcode::JobFolder> job_;
  Descriptor file_;
  std::uint64_t at_ = 0;
};

}  // namespace symcached::client
