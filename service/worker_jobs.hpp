#pragma once
/// What workers are asked to do with files from outside, on both sides of the process boundary.
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "fetch/glimpse.hpp"
#include "sources/module_ids.hpp"
#include "stacks/candidates.hpp"
#include "symbolize/derive.hpp"
#include "worker/pool.hpp"
#include "worker/serve.hpp"

namespace symcached::service {

enum class JobKind : std::uint32_t {
  derive = 1,          ///< arguments: FileParts; output: a symcache, or a ppdbcache of a managed file; note: a
                       ///< DerivedNote
  unpack = 2,          ///< output: the one file inside
  state_ids = 3,       ///< note: fetch::to_text() of what the file states
  verify = 4,          ///< arguments: a VerifyOrder; note: what could not be checked
  glimpse = 5,         ///< of a file in parts; arguments: text_of() them; note: a fetch::Glimpse
  describe = 6,        ///< note: text_of() what it offers to those who name stacks
  derive_sources = 7,  ///< output: a sourcecache; note: a DerivedNote
  find_maps = 8,       ///< arguments: FileParts; note: NeededMaps of a Mach-O file
};

/// The worker's side: what a process of the pool passes to worker::serve().
worker::Handlers worker_handlers();

/// What a job may use, by the size of the file it reads.
struct LimitRules {
  std::uint64_t memory_base_mib = 1024;  ///< MiB of address space, and bytes for each byte of the file:
  std::uint64_t memory_factor = 8;
  unsigned seconds_base = 20;                               ///< of processor time; the deadline is twice as far
  std::uint64_t bytes_per_second = std::uint64_t{2} << 20;  ///< one second more for so many bytes of the file
  std::uint64_t output_base = std::uint64_t{16} << 20;      ///< bytes, and for each byte of the file:
  std::uint64_t output_factor = 4;
};
worker::Limits limits_for(std::uint64_t file_size, const LimitRules& rules);

/// What a worker says of the cache it made.
struct DerivedNote {
  symbolize::CacheKind kind{};
  symbolize::Contents contents{};
  DebugId debug_id;                ///< that the original states
  stacks::Features features = {};  ///< of the original

  std::string text() const;  ///< "symcache lines d-s- 3249D99D0C4049318610F4E4FB0B69361"
  static std::optional<DerivedNote> parse(std::string_view text);
};

/// Where in its file an original lies: an argument of most jobs.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  std::string text() const;
  static std::expected<Extent, std::string> parse(std::string_view text);
};

/// What a fetched file is held to. Of the module only ids and checksums travel.
struct VerifyOrder {
  sources::FileType type{};
  Extent extent;
  sources::ModuleIds module;

  std::string text() const;
  static std::expected<VerifyOrder, std::string> parse(std::string_view text);
};

/// "0 65536 1048576 65536": offset and size of each part.
std::string text_of(std::span<const fetch::FilePart> parts);
std::optional<std::vector<fetch::FilePart>> parse_parts(std::string_view text);

}  // namespace symcached::service
