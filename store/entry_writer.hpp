#pragma once
/// An entry being written: bytes go to a temporary file, publish() makes them an entry at once or not at all.
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "store/disk_space.hpp"
#include "store/entry.hpp"
#include "store/files.hpp"
#include "store/negatives.hpp"

namespace symcached::store {

/// What a store and its writers have in common, so that a writer may outlive the store.
struct Parts {
  std::unique_ptr<Files> files;
  Negatives negatives;
  DiskSpace space;
};

/// The temporary file is removed when this is dropped unpublished.
class EntryWriter {
 public:
  EntryWriter(std::shared_ptr<Parts> parts, NewFile file, std::string name, Head head)
      : parts_(std::move(parts)), file_(std::move(file)), name_(std::move(name)), head_(std::move(head)) {}

  /// @return nothing, or a sentence with errno's text (no space, most often)
  std::expected<void, std::string> write(Bytes data);
  std::uint64_t size() const { return size_; }

  /// For reading back what was written: the payload starts at kPayloadOffset.
  int descriptor() const { return file_.descriptor(); }

  /// Writes the head, syncs, takes the place of whatever entry was there. A file is what counts for its key from now
  /// on; what was remembered in memory is dropped.
  std::expected<void, std::string> publish() &&;

 private:
  std::unexpected<std::string> failed(Failure failure) const;

  std::shared_ptr<Parts> parts_;
  NewFile file_;
  std::string name_;
  Head head_;
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
};

}  // namespace symcached::store
