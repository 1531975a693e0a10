#include "store/journal_record.hpp"

#include <algorithm>
#include <cstring>

#include "base/crc32.hpp"

namespace symcached::store {
namespace {

constexpr std::uint8_t kAbsent = 1;

std::uint32_t checksum(JournalRecord record) {
  record.crc = 0;
  return crc32(std::as_bytes(std::span(&record, 1)));
}

JournalRecord record_of(Event event, std::uint8_t flags, Bytes body) {
  JournalRecord record{};
  record.magic = kJournalMagic;
  record.event = static_cast<std::uint8_t>(event);
  record.flags = flags;
  std::ranges::copy(body, record.body.begin());
  record.crc = checksum(record);
  return record;
}

JournalRecord record_of(Event event, std::uint8_t flags, const EntryEvent& entry) {
  return record_of(event, flags, std::as_bytes(std::span(&entry, 1)));
}

std::optional<Said> said_of_entry(const JournalRecord& record) {
  EntryEvent entry;
  std::memcpy(&entry, record.body.data(), sizeof entry);
  return Said{.event = static_cast<Event>(std::uint8_t{record.event}),
              .place = {},
              .place_hash = entry.place,
              .digest = entry.digest,
              .account = {.blocks = entry.blocks,
                          .last_use = entry.last_use,
                          .cost_ms = entry.cost_ms,
                          .content = entry.content,
                          .absent = record.flags == kAbsent}};
}

/// Views into the record in `data`.
std::optional<Said> said_of_place(Bytes data) {
  const std::string_view body = as_text(data.subspan(offsetof(JournalRecord, body), kMaxPlace));
  const std::string_view place = body.substr(0, body.find('\0'));
  if (!parse_place(place)) return std::nullopt;
  return Said{.event = Event::place, .place = place, .place_hash = place_hash(place)};
}

std::optional<Said> said(Bytes data) {
  JournalRecord record;
  std::memcpy(&record, data.data(), sizeof record);
  if (record.magic != kJournalMagic || record.flags > kAbsent || checksum(record) != record.crc) return std::nullopt;
  switch (static_cast<Event>(std::uint8_t{record.event})) {
    case Event::place: return said_of_place(data);
    case Event::put:
    case Event::gone: return said_of_entry(record);
  }
  return std::nullopt;
}

/// To where the next record may begin.
std::size_t skip(Bytes data) {
  const void* next = std::memchr(data.data() + 1, kJournalMagic[0], data.size() - 1);
  return next == nullptr ? data.size() : static_cast<std::size_t>(static_cast<const std::byte*>(next) - data.data());
}

}  // namespace

std::uint64_t place_hash(std::string_view place) { return content_of(sha256(as_bytes(place))); }

JournalRecord place_record(std::string_view place) { return record_of(Event::place, 0, as_bytes(place)); }

JournalRecord put_record(std::uint64_t place, const Digest& digest, const Account& account) {
  const EntryEvent entry{place, digest, account.blocks, account.last_use, account.cost_ms, account.content};
  return record_of(Event::put, account.absent ? kAbsent : 0, entry);
}

JournalRecord gone_record(std::uint64_t place, const Digest& digest) {
  return record_of(Event::gone, 0, EntryEvent{place, digest, 0, 0, 0, 0});
}

std::size_t read_journal(Bytes data, const std::function<void(const Said&)>& say) {
  std::size_t at = 0;
  while (data.size() - at >= sizeof(JournalRecord)) {
    const Bytes rest = data.subspan(at);
    const auto record = said(rest);
    if (record) say(*record);
    at += record ? sizeof(JournalRecord) : skip(rest);
  }
  return at;
}

}  // namespace symcached::store
