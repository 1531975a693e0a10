#pragma once
/// What lies in the cache directory: of each entry its bytes, last use and what making it again would take, ordered so
/// that the least valuable is found at once. In memory, about 90 bytes an entry; no files here.
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/entry_name.hpp"

namespace symcached::store {

inline constexpr std::uint64_t kBlock = 4096;  ///< bytes: what a file takes on disk is counted in these

/// At least one: a name takes space too.
std::uint32_t blocks_of(std::uint64_t bytes);

/// What is known of an entry.
struct Account {
  std::uint32_t blocks = 0;    ///< 0: its bytes count for another name of the same file
  std::uint32_t last_use = 0;  ///< Unix time in seconds
  std::uint32_t cost_ms = 0;   ///< Head::cost_ms
  std::uint64_t content = 0;   ///< Head::content
  bool absent = false;         ///< State::absent

  bool operator==(const Account&) const = default;
};

/// Until when an entry is worth its space, in seconds of Unix time: its last use, plus 4 hours for each doubling of
/// the milliseconds it took to make a MiB of it (at most 2 days), less 2 days if there is a newer version of its kind.
/// The lowest goes first.
std::int64_t score(const Account& account, bool outdated);

/// Not safe to use from several threads.
class Index {
 public:
  using PlaceId = std::uint16_t;
  using KindId = std::uint8_t;
  static constexpr std::size_t kMaxKinds = 64;
  static constexpr std::size_t kMaxPlaces = 32'768;
  static constexpr std::size_t kMaxEntries = 16u << 20;

  struct Entry {
    PlaceId place;
    Digest digest;
    Account account;
  };

  Index() = default;
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  void reserve(std::size_t entries);
  /// The number of a place, new or known; nothing if `text` is none, or there are too many.
  std::optional<PlaceId> intern(std::string_view text);
  std::optional<PlaceId> find_place(std::string_view text) const;
  std::string_view place_text(PlaceId place) const { return places_[place].text; }
  KindId kind_of(PlaceId place) const { return places_[place].kind; }
  std::optional<KindId> find_kind(std::string_view name) const;
  std::string_view kind_name(KindId kind) const { return kinds_[kind].name; }
  std::size_t kinds() const { return kinds_.size(); }
  std::size_t places() const { return places_.size(); }

  /// Inserts, or replaces what was known; the time of last use never goes back. Beyond kMaxEntries nothing is added.
  /// Cost of this, erase() and find(): about 0.2 us with a million entries.
  void put(PlaceId place, const Digest& digest, const Account& account);
  /// @return whether it was there
  bool erase(PlaceId place, const Digest& digest);
  std::optional<Account> find(PlaceId place, const Digest& digest) const;
  /// Of all kinds, or of one: an entry whose score is the lowest, to within kBucket; of equals the first that came.
  std::optional<Entry> least_valuable(std::optional<KindId> kind = {}) const;

  std::size_t entries() const { return slots_.size(); }
  std::uint64_t bytes() const { return blocks_ * kBlock; }
  std::size_t entries(KindId kind) const { return kinds_[kind].entries; }
  std::uint64_t bytes(KindId kind) const { return kinds_[kind].blocks * kBlock; }

  // Going through all: positions are 0 to positions(); an entry keeps its own for as long as it is there.
  std::size_t positions() const { return records_.size(); }
  std::optional<Entry> at(std::size_t position) const;

  /// A survey finds out what is no longer there: from its beginning on, each put() and seen() counts as a sight.
  void begin_survey() { ++survey_; }
  /// @return whether it is known
  bool seen(PlaceId place, const Digest& digest);
  bool was_seen(std::size_t position) const { return records_[position].survey == survey_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::int64_t kBucket = 600;  ///< seconds of score
  struct Record {
    Digest digest;
    std::uint64_t content;
    std::uint32_t blocks, last_use, cost_ms;
    std::uint32_t bucket = kNone;  ///< kNone: in none, most often as this record is free
    std::uint32_t prev, next;      ///< in its bucket; next: in the list of free ones
    PlaceId place;
    bool absent;
    std::uint8_t survey;
  };
  struct List {
    std::uint32_t first = kNone, last = kNone;
  };
  struct Kind {
    std::string name;
    std::uint32_t newest = 0;  ///< version
    std::uint64_t blocks = 0;
    std::size_t entries = 0;
    std::map<std::uint32_t, List> buckets = {};
  };
  struct PlaceRow {
    std::string text;
    KindId kind;
    std::uint32_t version;
  };
  struct Name {
    PlaceId place;
    const Digest* digest;
  };
  struct Hash {
    using is_transparent = void;
    const std::vector<Record>* records;
    std::size_t operator()(const Name& name) const;
    std::size_t operator()(std::uint32_t slot) const;
  };
  struct Same {
    using is_transparent = void;
    const std::vector<Record>* records;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(const Name& a, std::uint32_t b) const;
    bool operator()(std::uint32_t a, const Name& b) const { return (*this)(b, a); }
  };

  std::optional<KindId> intern_kind(std::string_view name);
  void new_version(KindId kind, std::uint32_t version);
  std::uint32_t slot_of(PlaceId place, const Digest& digest) const;
  std::uint32_t new_slot();
  std::uint32_t bucket_of(const Record& record) const;
  void link(std::uint32_t slot);
  void unlink(std::uint32_t slot);
  Entry entry_of(const Record& record) const;
  static Account account_of(const Record& record);

  std::vector<Record> records_;
  std::uint32_t free_ = kNone;
  boost::unordered_flat_set<std::uint32_t, Hash, Same> slots_{0, Hash{&records_}, Same{&records_}};
  std::vector<Kind> kinds_;
  std::vector<PlaceRow> places_;
  std::map<std::string, PlaceId, std::less<>> by_text_;
  std::uint64_t blocks_ = 0;
  std::uint8_t survey_ = 0;
};

}  // namespace symcached::store
