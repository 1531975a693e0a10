#pragma once
/// An entry being written: bytes go to a temporary file, publish() makes them an entry at once or not at all.
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "store/entry.hpp"

namespace symcached::store {

/// Lives on the file system of the cache, below tmp/; removed when dropped unpublished.
class EntryWriter {
 public:
  EntryWriter(Descriptor file, std::filesystem::path temporary, std::filesystem::path target, Head head);
  EntryWriter(EntryWriter&& other) noexcept;
  EntryWriter& operator=(EntryWriter&&) = delete;
  ~EntryWriter();

  /// @return nothing, or a sentence with errno's text (no space, most often)
  std::expected<void, std::string> write(Bytes data);
  std::uint64_t size() const { return size_; }

  /// For reading back what was written: the payload starts at kPayloadOffset.
  int descriptor() const { return file_.get(); }

  /// Writes the head, syncs, renames over whatever entry was there, syncs the folder.
  std::expected<void, std::string> publish() &&;

 private:
  Descriptor file_;
  std::filesystem::path temporary_;  ///< empty once published or moved from
  std::filesystem::path target_;
  Head head_;
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
};

}  // namespace symcached::store
