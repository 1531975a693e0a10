#pragma once
/// The journal: one file in the cache directory through which processes tell each other, and themselves after a
/// restart, what is in it. Only advice: without it, or with a wrong one, an index is less accurate until the next
/// survey. Spec: docs/formats/cache-index.md.
#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/descriptor.hpp"
#include "store/journal_record.hpp"

namespace symcached::store {

inline constexpr std::string_view kJournalName = "index.journal";

/// One process's view of it. Not safe to use from several threads. Failures are not reported: there is nothing to be
/// done about them, and the next call tries again.
class Journal {
 public:
  enum class Mode : std::uint8_t { shared, read_only };

  /// `boot` is part of the name of the temporary file that a compaction writes.
  Journal(std::filesystem::path directory, std::uint64_t boot, Mode mode = Mode::shared)
      : directory_(std::move(directory)), boot_(boot), mode_(mode) {}

  /// Applies what was appended since the last call; the first call reads all. A journal that another process replaced
  /// or somebody deleted is opened again.
  /// Cost: one fstat if there is nothing new; about 0.3 us a record.
  void refresh(Index& index);
  /// Notes what `index` knows of an entry, or that it is gone; flush() appends the notes with one write.
  void note(const Index& index, Index::PlaceId place, const Digest& digest);
  /// Rewrites the journal when it has grown to more than twice what is alive.
  void flush(Index& index);

 private:
  bool open();
  bool is_current() const;
  void read_on(Index& index, std::uint64_t size);
  void apply(Index& index, const Said& said);
  void append(const Index& index, const Index::Entry& entry, bool is_gone);
  std::uint64_t named(const Index& index, Index::PlaceId place);
  void compact(Index& index);
  Descriptor write_all(const Index& index, const std::filesystem::path& name);

  const std::filesystem::path directory_;
  const std::uint64_t boot_;
  const Mode mode_;
  Descriptor file_;
  std::uint64_t read_ = 0;  ///< bytes of file_ that index knows
  std::uint64_t size_ = 0;  ///< of file_ when it was last looked at
  std::unordered_map<std::uint64_t, Index::PlaceId> by_hash_;
  std::vector<std::uint64_t> hashes_;  ///< by PlaceId, of those whose text is in file_ or notes_; 0: of no such
  ByteWriter notes_;
};

}  // namespace symcached::store
