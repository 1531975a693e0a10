#include "store/entry.hpp"

#include <algorithm>

#include "base/byte_writer.hpp"

namespace symcached::store {
namespace {

Sha256 head_checksum(Bytes head) {
  constexpr std::size_t kAt = offsetof(HeadRecord, head_sha256);
  const Sha256 zero{};
  Sha256Hasher hasher;
  hasher.update(head.first(kAt));
  hasher.update(zero);
  hasher.update(head.subspan(kAt + zero.size()));
  return hasher.finish();
}

/// The fields alone: in range, and agreeing with one another and with the size of the file.
Read<void> check_fields(const HeadRecord& r, std::uint64_t file_size) {
  if (r.magic != kMagic) return bad_value("entry.magic", 0, 0);
  if (r.version != kHeadVersion) return bad_value("entry.version", 8, r.version, kHeadVersion);
  if (r.state < 1 || r.state > 2) return bad_value("entry.state", 12, r.state);
  if (r.quality > static_cast<std::uint8_t>(Quality::lines)) return bad_value("entry.quality", 13, r.quality);
  if (r.identity_size > kMaxIdentity) return too_large("entry.identity_size", 14, r.identity_size, kMaxIdentity);
  if (r.key_size > kMaxKey) return too_large("entry.key_size", 116, r.key_size, kMaxKey);
  const bool is_file = static_cast<State>(std::uint8_t{r.state}) == State::file;
  const std::uint64_t offset = is_file ? kPayloadOffset : sizeof(HeadRecord) + r.key_size + r.identity_size;
  if (r.payload_offset != offset) return bad_value("entry.payload_offset", 24, r.payload_offset, offset);
  if (file_size < offset) return truncated("entry", 0, offset, file_size);
  if (r.payload_size != file_size - offset)
    return bad_value("entry.payload_size", 32, r.payload_size, file_size - offset);
  if (!is_file && r.payload_size != 0) return bad_value("entry.payload_size", 32, r.payload_size, 0);
  return {};
}

}  // namespace

std::uint64_t content_of(const Sha256& digest) {
  u64le content;
  std::memcpy(&content, digest.data(), sizeof content);
  return content;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line(text.substr(0, most));
  std::ranges::replace_if(line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return line;
}

std::vector<std::byte> write_head(const Head& head) {
  const std::string_view key = std::string_view(head.key).substr(0, kMaxKey);
  const std::string_view identity = std::string_view(head.identity).substr(0, kMaxIdentity);
  const bool is_file = head.state == State::file;
  HeadRecord record{};
  record.magic = kMagic;
  record.version = kHeadVersion;
  record.state = static_cast<std::uint8_t>(head.state);
  record.quality = static_cast<std::uint8_t>(head.quality);
  record.identity_size = static_cast<std::uint16_t>(identity.size());
  record.created_ms = static_cast<std::uint64_t>(head.created.time_since_epoch().count());
  record.payload_offset = is_file ? kPayloadOffset : sizeof(HeadRecord) + key.size() + identity.size();
  record.payload_size = head.payload_size;
  record.payload_sha256 = head.payload_sha256;
  record.source_sha256 = head.source_sha256;
  record.content = head.content;
  record.cost_ms = head.cost_ms;
  record.key_size = static_cast<std::uint32_t>(key.size());

  ByteWriter out;
  out.put(record);
  out.put_text(key);
  out.put_text(identity);
  if (is_file) out.align(kPayloadOffset);
  record.head_sha256 = head_checksum(out.bytes());
  out.patch(0, record);
  return std::move(out).finish();
}

Read<Head> read_head(Bytes data, std::uint64_t file_size) {
  ByteReader in(data);
  SC_TRY(const auto record, in.read<HeadRecord>("entry.head"));
  if (const auto fields = check_fields(record, file_size); !fields) return std::unexpected(fields.error());
  SC_TRY(const Bytes all, slice(data, 0, record.payload_offset, "entry.head"));
  if (head_checksum(all) != record.head_sha256) return bad_value("entry.head_sha256", 120, 0);
  SC_TRY(const Bytes key, in.take(record.key_size, "entry.key"));
  SC_TRY(const Bytes identity, in.take(record.identity_size, "entry.identity"));
  return Head{.state = static_cast<State>(std::uint8_t{record.state}),
              .quality = static_cast<Quality>(std::uint8_t{record.quality}),
              .created = TimePoint(Milliseconds(static_cast<std::int64_t>(std::uint64_t{record.created_ms}))),
              .payload_size = record.payload_size,
              .payload_sha256 = record.payload_sha256,
              .source_sha256 = record.source_sha256,
              .content = record.content,
              .cost_ms = record.cost_ms,
              .key = std::string(as_text(key)),
              .identity = std::string(as_text(identity))};
}

}  // namespace symcached::store
