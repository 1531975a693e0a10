#pragma once
/// Sources of a debug file, packed by sentry-cli. docs/formats/wrappers.md
#include <boost/json/object.hpp>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/zip_archive.hpp"

namespace symcached::object {

/// Views of the manifest's texts, unchecked: any bytes that JSON may hold.
struct BundledFile {
  std::string_view path;  ///< as debug information names it; empty: not stated
  std::string_view url;   ///< where it can be had, too; empty: not stated
  std::string_view type;  ///< "source", "minified_source", …
  std::string member;     ///< name in the archive; the member need not be there
};

class SourceBundle {
 public:
  /// @return  nothing, or the version that is not known here
  static Read<void> check_version(Bytes file);
  /// @param file  must outlive it. @return the bundle, or a sentence
  /// Cost: unpacks and parses the manifest, at most 64 MiB of JSON.
  static std::expected<SourceBundle, std::string> open(Bytes file);

  const boost::json::object& manifest() const { return manifest_; }
  const ZipArchive& archive() const { return archive_; }
  std::vector<BundledFile> files() const;

 private:
  SourceBundle(ZipArchive archive, boost::json::object manifest)
      : archive_(std::move(archive)), manifest_(std::move(manifest)) {}

  ZipArchive archive_;
  boost::json::object manifest_;
};

}  // namespace symcached::object
