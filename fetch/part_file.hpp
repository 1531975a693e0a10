#pragma once
/// A file of which only parts are there, for those who look into files.
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "fetch/glimpse.hpp"

namespace symcached::fetch {

/// In memory, which only the parts take up.
class PartFile {
 public:
  /// @param size  bytes of the whole
  /// @return the file, or a sentence with errno's text
  static std::expected<PartFile, std::string> make(std::uint64_t size);

  /// More than kMaxGlimpseParts parts, or bytes that are not in the file, are an error.
  std::expected<void, std::string> add(std::uint64_t offset, Bytes bytes);
  int descriptor() const { return file_.get(); }
  std::uint64_t size() const { return size_; }
  const std::vector<FilePart>& known() const { return known_; }

 private:
  PartFile(Descriptor file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

  Descriptor file_;
  std::uint64_t size_;
  std::vector<FilePart> known_;
};

}  // namespace symcached::fetch
