#pragma once
/// What asking a source for an original can end in.
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/mapped_file.hpp"
#include "sources/file_id.hpp"

namespace symcached::fetch {

/// Digest of a Portable PDB, as the debug directory of its assembly has it.
struct Checksum {
  std::string algorithm;  ///< "SHA256", as recorded
  std::vector<std::byte> digest;
};

struct Wanted {
  std::string name;  ///< as the client spelt it; check_file_name() accepted it
  sources::FileId id;
  std::string key;                       ///< the same in one spelling, for the cache and the log
  std::vector<Checksum> checksums = {};  ///< of a Portable PDB; none = not known
};

/// A file, mapped. bytes() live as long as this.
struct Original {
  MappedFile file;
  std::uint64_t offset;   ///< of the first byte of the file: 0, or behind the head of a cache entry
  std::string origin;     ///< path or URL it came from, for the log
  std::string note = {};  ///< what could not be checked, in one line; empty most often

  Bytes bytes() const { return file.bytes().subspan(static_cast<std::size_t>(offset)); }
};
struct NotThere {};  ///< the source says no
struct Refused {
  std::string why;
};  ///< it has something under that name that is no use
/// No answer to rely on: time-out, 403, 5xx, a login page, no disk space.
struct SoftFailure {
  std::string why;
  bool elsewhere_may_work = false;  ///< it may speak of one place alone, so other places of the source are still asked
};
using Outcome = std::variant<Original, NotThere, Refused, SoftFailure>;

struct Limits {
  std::uint64_t max_download = std::uint64_t{16} << 30;  ///< bytes, counted while they arrive
  std::uint64_t max_unpacked = std::uint64_t{16} << 30;  ///< bytes
  std::uint64_t max_ratio = 200;                         ///< unpacked to packed, beyond the first 64 MiB
  long connect_timeout_ms = 10'000;
  long silence_s = 60;   ///< less than min_rate for so long ends a download; also the wait for the first byte
  long min_rate = 1024;  ///< bytes per second
  long max_redirects = 10;
  long total_ms = 0;         ///< a transfer that takes longer ends; 0: as long as bytes arrive
  bool public_only = false;  ///< ask hosts of the public internet alone, and directly: see public_address.hpp
};

}  // namespace symcached::fetch
