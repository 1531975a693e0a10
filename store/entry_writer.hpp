#pragma once
/// An entry being written: bytes go to a temporary file, publish() makes them an entry at once or not at all.
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "store/disk_space.hpp"
#include "store/entry.hpp"
#include "store/files.hpp"
#include "store/negatives.hpp"
#include "store/quotas.hpp"

namespace symcached::store {

/// What a store and its writers have in common, so that a writer may outlive the store.
struct Parts {
  std::unique_ptr<Files> files;
  Negatives negatives;
  DiskSpace space;
  std::unique_ptr<Quotas> quotas;  ///< null: no limits

  /// If `error` is one of space: evicts at least `bytes`, and some more. @return whether another try may work
  bool free_up(int error, std::uint64_t bytes) const;
};

/// Makes the file of an entry that another scope has for the same key the entry `name`, too.
/// @param content  Head::content of both
/// @param is_same  whether it may be shared
/// @return the entry, whose payload was checked; null if there is none to share
std::shared_ptr<const Entry> link_to_twin(const Parts& parts, const std::string& name, std::uint64_t content,
                                          const std::function<bool(const Head&)>& is_same);

/// The temporary file is removed when this is dropped unpublished.
class EntryWriter {
 public:
  EntryWriter(std::shared_ptr<Parts> parts, NewFile file, std::string name, Head head)
      : parts_(std::move(parts)), file_(std::move(file)), name_(std::move(name)), head_(std::move(head)) {}

  /// What comes counts as used from now on, and others are evicted for it, unless evicting is no help. On a full disk
  /// still others are, once.
  /// @return nothing, or a sentence with errno's text (no space, most often)
  std::expected<void, std::string> write(Bytes data);
  std::uint64_t size() const { return size_; }

  /// For reading back what was written: the payload starts at kPayloadOffset.
  int descriptor() const { return file_.descriptor(); }

  /// Writes the head, makes room if there was none yet, syncs, takes the place of whatever entry was there. A file is
  /// what counts for its key from now on; what was remembered in memory is dropped. An original that the cache has in
  /// another scope, with the same key, identity and bytes, becomes another name of that file.
  /// @return the entry, open for reading whatever happens to its file. If the limits leave no room for it, it is in no
  ///         directory, and Entry::not_kept() says why.
  std::expected<std::shared_ptr<const Entry>, std::string> publish(const Provenance& made = {}) &&;

 private:
  std::unexpected<std::string> failed(Failure failure) const;
  std::expected<void, std::string> write_at_offset(Bytes data, std::uint64_t offset);
  void claim_ahead(std::uint64_t bytes);
  std::expected<void, std::string> finish_head(const Provenance& made);

  std::shared_ptr<Parts> parts_;
  NewFile file_;
  std::string name_;
  Head head_;
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
  Quotas::Claim claim_;
  bool has_room_ = true;  ///< as far as it is known before publish()
};

}  // namespace symcached::store
