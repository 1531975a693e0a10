#pragma once
/// The records of the journal: what happened to which entry. Spec: docs/formats/cache-index.md.
#include <functional>

#include "store/index.hpp"

namespace symcached::store {

enum class Event : std::uint8_t { place = 1, put = 2, gone = 3 };

struct JournalRecord {
  std::array<char, 2> magic;  ///< kJournalMagic
  u8le event;                 ///< Event
  u8le flags;                 ///< 1: the entry says that there is none
  u32le crc;                  ///< CRC-32 of the record, with these four as zero
  /// place: its text, then zeros; otherwise an EntryEvent, then zeros.
  std::array<std::byte, kMaxPlace> body;
};
static_assert(sizeof(JournalRecord) == 96 && alignof(JournalRecord) == 1);
inline constexpr std::array<char, 2> kJournalMagic{'\xd7', 'J'};

struct EntryEvent {
  u64le place;  ///< place_hash() of a place that a record before this one names
  std::array<std::byte, 32> digest;
  u32le blocks, last_use, cost_ms;  ///< as in Account; of an entry that is gone 0
  u64le content;
};
static_assert(sizeof(EntryEvent) == 60 && sizeof(EntryEvent) <= kMaxPlace);

/// The first 8 bytes of its SHA-256, little-endian.
std::uint64_t place_hash(std::string_view place);

/// `place` parses.
JournalRecord place_record(std::string_view place);
JournalRecord put_record(std::uint64_t place, const Digest& digest, const Account& account);
JournalRecord gone_record(std::uint64_t place, const Digest& digest);

/// What a record says; `place` is its text for Event::place, otherwise empty. Views into the bytes.
struct Said {
  Event event;
  std::string_view place;
  std::uint64_t place_hash = 0;
  Digest digest = {};
  Account account = {};
};

/// Calls `say` for each whole record in `data`; what is none is skipped, byte by byte, up to the next that is.
/// @return how many bytes were read; what is left may become a record when more is appended, and is less than one
std::size_t read_journal(Bytes data, const std::function<void(const Said&)>& say);

}  // namespace symcached::store
