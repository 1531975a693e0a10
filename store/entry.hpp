#pragma once
/// The head of a cache entry: what it is, whether it holds, and why it failed. Spec: docs/formats/cache-entry.md.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "store/sha256.hpp"

namespace symcached::store {

using Clock = std::chrono::system_clock;
using Milliseconds = std::chrono::milliseconds;
using TimePoint = std::chrono::time_point<Clock, Milliseconds>;

/// The state on disk. A tag, never guessed from the content.
enum class State : std::uint8_t { file = 1, absent = 2, malformed = 3, unavailable = 4 };

/// What the payload was made from.
enum class Quality : std::uint8_t { none = 0, fallback = 1, preferred = 2 };

/// History: 1 the first.
inline constexpr std::uint32_t kHeadVersion = 1;
inline constexpr std::uint64_t kPayloadOffset = 4096;  ///< a page: the payload can be mapped and sent as it is
inline constexpr std::size_t kMaxKey = 2048;           ///< bytes
inline constexpr std::size_t kMaxReason = 1024;        ///< bytes; a longer reason is cut

struct HeadRecord {
  std::array<char, 8> magic;  ///< kMagic
  u32le version;              ///< kHeadVersion
  u8le state;                 ///< State
  u8le quality;               ///< Quality
  u16le failures;             ///< unavailable: how often in a row; otherwise 0
  u64le created_ms;           ///< Unix time in milliseconds
  u64le boot;                 ///< which run of a server wrote it
  u64le payload_offset;       ///< file: kPayloadOffset; otherwise the size of the head
  u64le payload_size;         ///< bytes to the end of the file; 0 unless state is file
  std::array<std::byte, 32> payload_sha256;
  u32le key_size;                         ///< bytes, at most kMaxKey
  u32le reason_size;                      ///< bytes, at most kMaxReason
  std::array<std::byte, 32> head_sha256;  ///< of all bytes before payload_offset, these 32 taken as zero
};
static_assert(sizeof(HeadRecord) == 120 && alignof(HeadRecord) == 1 && std::is_trivially_copyable_v<HeadRecord>);
static_assert(offsetof(HeadRecord, payload_sha256) == 48 && offsetof(HeadRecord, head_sha256) == 88);
static_assert(sizeof(HeadRecord) + kMaxKey + kMaxReason <= kPayloadOffset);

inline constexpr std::array<char, 8> kMagic{'S', 'C', 'E', 'N', 'T', 'R', 'Y', '\n'};

struct Head {
  State state = State::file;
  Quality quality = Quality::none;
  std::uint16_t failures = 0;
  TimePoint created{};
  std::uint64_t boot = 0;
  std::uint64_t payload_size = 0;
  Sha256 payload_sha256{};
  std::string key = {};     ///< readable: "crash.pdb/3249D99D0C4049318610F4E4FB0B69361a"
  std::string reason = {};  ///< why there is no payload, one line; empty for a file

  bool operator==(const Head&) const = default;
};

/// The bytes before the payload. For State::file exactly kPayloadOffset of them; otherwise the whole entry.
std::vector<std::byte> write_head(const Head& head);

/// Reads and checks the head at the start of `data`, which holds at least min(file_size, kPayloadOffset) bytes.
/// @param file_size  bytes of the whole entry; an entry cut short or grown is refused
/// The payload is not looked at.
Read<Head> read_head(Bytes data, std::uint64_t file_size);

}  // namespace symcached::store
