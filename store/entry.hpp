#pragma once
/// The head of a cache entry: what it is, what it was made from, and whether it holds. Spec:
/// docs/formats/cache-entry.md.
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

/// The state on disk. A tag, never guessed from the content. The other states of `Lookup` are known to one run only
/// and never written.
enum class State : std::uint8_t { file = 1, absent = 2 };

/// What the payload was made from; more is better.
enum class Quality : std::uint8_t {
  none = 0,
  public_symbols = 1,  ///< names of exports and the like
  symbol_table = 2,
  breakpad = 3,
  lines = 4,  ///< a native debug file with line numbers: there is nothing better to look for
};

/// History: 1 the first; 2 with identity, without the failures, run and reason of states that only memory keeps now;
/// 3 with source, content and cost, five qualities.
inline constexpr std::uint32_t kHeadVersion = 3;
inline constexpr std::uint64_t kPayloadOffset = 4096;  ///< a page: the payload can be mapped and sent as it is
inline constexpr std::size_t kMaxKey = 2048;           ///< bytes
inline constexpr std::size_t kMaxIdentity = 512;       ///< bytes; a longer one is cut

struct HeadRecord {
  std::array<char, 8> magic;  ///< kMagic
  u32le version;              ///< kHeadVersion
  u8le state;                 ///< State
  u8le quality;               ///< Quality
  u16le identity_size;        ///< bytes, at most kMaxIdentity
  u64le created_ms;           ///< Unix time in milliseconds
  u64le payload_offset;       ///< file: kPayloadOffset; otherwise the size of the head
  u64le payload_size;         ///< bytes to the end of the file; 0 unless state is file
  std::array<std::byte, 32> payload_sha256;
  std::array<std::byte, 32> source_sha256;  ///< of the payload of the original this was made from; zero: unknown
  u64le content;                            ///< names the bytes of the original; 0: unknown
  u32le cost_ms;                            ///< what making it took; of an original its download
  u32le key_size;                           ///< bytes, at most kMaxKey
  std::array<std::byte, 32> head_sha256;    ///< of all bytes before payload_offset, these 32 taken as zero
};
static_assert(sizeof(HeadRecord) == 152 && alignof(HeadRecord) == 1 && std::is_trivially_copyable_v<HeadRecord>);
static_assert(offsetof(HeadRecord, identity_size) == 14 && offsetof(HeadRecord, payload_sha256) == 40);
static_assert(offsetof(HeadRecord, source_sha256) == 72 && offsetof(HeadRecord, content) == 104);
static_assert(offsetof(HeadRecord, key_size) == 116 && offsetof(HeadRecord, head_sha256) == 120);
static_assert(sizeof(HeadRecord) + kMaxKey + kMaxIdentity <= kPayloadOffset);

inline constexpr std::array<char, 8> kMagic{'S', 'C', 'E', 'N', 'T', 'R', 'Y', '\n'};

struct Head {
  State state = State::file;
  Quality quality = Quality::none;
  TimePoint created{};
  std::uint64_t payload_size = 0;
  Sha256 payload_sha256{};
  Sha256 source_sha256{};
  std::uint64_t content = 0;
  std::uint32_t cost_ms = 0;
  std::string key = {};       ///< readable: "crash.pdb/3249D99D0C4049318610F4E4FB0B69361a"
  std::string identity = {};  ///< what the original was, as its source describes it; empty = unknown

  bool operator==(const Head&) const = default;
};

/// How a payload came to be, as whoever made it knows.
struct Provenance {
  Quality quality = Quality::none;
  Milliseconds cost{0};   ///< of making it; of an original the time of its download
  Sha256 source{};        ///< of the payload of the original it was made from; zero: unknown
  bool original = false;  ///< it is an original, named by its own bytes

  bool operator==(const Provenance&) const = default;
};

/// Head::content of an original, and of everything made from it: the first 8 bytes of `digest`, little-endian.
std::uint64_t content_of(const Sha256& digest);

/// `text` as it is stored: at most `most` bytes, control characters become spaces.
std::string one_line(std::string_view text, std::size_t most);

/// The bytes before the payload. For State::file exactly kPayloadOffset of them; otherwise the whole entry.
std::vector<std::byte> write_head(const Head& head);

/// Reads and checks the head at the start of `data`, which holds at least min(file_size, kPayloadOffset) bytes.
/// @param file_size  bytes of the whole entry; an entry cut short or grown is refused
/// The payload is not looked at.
Read<Head> read_head(Bytes data, std::uint64_t file_size);

}  // namespace symcached::store
