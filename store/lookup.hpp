#pragma once
/// What a key names, and everything that looking it up can end in: the state is the type.
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/descriptor.hpp"
#include "base/mapped_file.hpp"
#include "store/entry.hpp"

namespace symcached::store {

/// A kind of entry; entries of an older version are worth less to the store (index.hpp).
struct CacheKind {
  std::string_view name;  ///< a directory below the cache directory, static storage
  std::uint32_t version;
};

struct EntryKey {
  CacheKind kind;
  std::string scope = "global";
  std::string readable;  ///< at most kMaxKey bytes, one line
};

/// An entry with a payload, open. It stays readable when somebody deletes or replaces it on disk.
class Entry {
 public:
  Entry(Descriptor file, std::shared_ptr<const Head> head, std::string not_kept = {})
      : file_(std::move(file)), head_(std::move(head)), not_kept_(std::move(not_kept)) {}
  const Descriptor& file() const { return file_; }
  const Head& head() const { return *head_; }
  /// Of an entry just published: why it is not in the cache, so that the next lookup will miss; empty if it is.
  const std::string& not_kept() const { return not_kept_; }
  std::uint64_t size() const { return head_->payload_size; }  ///< of the payload, which starts at kPayloadOffset
  std::expected<MappedFile, std::string> map() const { return MappedFile::from_descriptor(file_.get(), head_->key); }

 private:
  Descriptor file_;
  std::shared_ptr<const Head> head_;  ///< shared with what the store remembers as checked
  std::string not_kept_;
};

inline constexpr std::size_t kMaxReason = 1024;  ///< bytes of a `why`; a longer one is cut

struct Hit {
  std::shared_ptr<const Entry> entry;
};
struct Miss {};  ///< nothing known yet: ask the sources
/// Every source said no.
struct Absent {
  TimePoint checked;
  TimePoint retry_at = TimePoint::max();  ///< when one of the sources may be asked again, if that is sooner
  std::string asked = {};                 ///< which sources said so, free text on one line, at most kMaxIdentity bytes
  bool worth_keeping = false;             ///< true once: asked for again since it was remembered, so call Store::keep()
};

/// What the other negatives have in common; they are known to this run alone.
struct Failing {
  TimePoint checked;
  TimePoint retry_at;
  std::uint16_t failures = 1;  ///< in a row
  std::string why = {};
  /// What the original was when it failed, free text from whoever opened it, at most kMaxIdentity bytes on one line;
  /// empty = unknown. An original with another identity is worth a try.
  std::string identity = {};
};
/// Fetched, could not be used.
struct Malformed : Failing {
  bool is_bare = false;  ///< it is sound, and has neither debug information nor symbols
};
struct Unsupported : Failing {};  ///< fetched, of a kind that is not read
struct NotWhole : Failing {};     ///< cut short, or still being copied
struct Crashed : Failing {};      ///< the process that read it died
struct TimedOut : Failing {};     ///< a source did not answer in time
struct Forbidden : Failing {};    ///< a source does not give it to these credentials
struct RateLimited : Failing {};  ///< a source wants to be left alone for a while
struct Unavailable : Failing {};  ///< a source did not answer as it should: no connection, 5xx, a login page
/// This machine ran out of something while looking (descriptors, memory), or its disk failed or refused: nothing is
/// known about the key, least of all that there is no entry. Never remembered.
struct Exhausted {
  std::string why;
};

using Lookup = std::variant<Hit, Miss, Absent, Malformed, Unsupported, NotWhole, Crashed, TimedOut, Forbidden,
                            RateLimited, Unavailable, Exhausted>;
/// All that may be remembered besides a file.
using Negative =
    std::variant<Absent, Malformed, Unsupported, NotWhole, Crashed, TimedOut, Forbidden, RateLimited, Unavailable>;

}  // namespace symcached::store
