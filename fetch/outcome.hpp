#pragma once
/// What asking a source for an original can end in.
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/descriptor.hpp"
#include "base/mapped_file.hpp"
#include "fetch/limits.hpp"
#include "sources/module_ids.hpp"
#include "store/entry.hpp"
#include "store/sha256.hpp"

namespace symcached::fetch {

using sources::Checksum;

/// The scope of what everybody may see.
inline constexpr std::string_view kGlobalScope = "global";

struct Wanted {
  sources::FileRequest file;                      ///< from sources::make_request()
  std::string key;                                ///< the same in one spelling, for the cache and the log
  std::string scope = std::string(kGlobalScope);  ///< whose request it is: it sees what this scope and all have
  /// What a cache of it should know at least: a file that a look before its download shows to know less ends as
  /// SaysLess. Costs two more requests for 64 KiB at most, of large ELF files alone (docs/protocols/downloads.md).
  store::Quality at_least = store::Quality::none;
  /// Only what this machine has: kept in the cache directory, or in a folder. No server is asked.
  bool at_hand = false;
  /// A Portable PDB; one of native code in its place is handed over, too (is_native_pdb), so that it can be told what
  /// it is. Its age is not compared.
  bool or_native = false;
};

/// Makes the key.
Wanted wanted_of(sources::FileRequest file, std::string scope = std::string(kGlobalScope));

/// A regular file, open for reading. It may lie in a directory where somebody changes it, and anybody may have made it:
/// a server hands it on and maps nothing of it.
struct Original {
  Descriptor file;
  std::uint64_t offset = 0;   ///< of the original's first byte: 0, or behind the head of a cache entry
  std::uint64_t size = 0;     ///< bytes of the original
  std::string origin = {};    ///< path or URL it came from, for the log
  std::string note = {};      ///< what could not be checked, in one line; empty most often
  std::string identity = {};  ///< what it was when it was opened: identity.hpp
  store::Sha256 digest = {};  ///< of its bytes; zero: unknown, as of files in directories

  /// For a command that reads in its own process; a file that shrinks while it is mapped ends that process.
  std::expected<MappedFile, std::string> map() const { return MappedFile::from_descriptor(file.get(), origin); }
  /// The original in what map() gave; shorter if the file shrank before it was mapped.
  Bytes bytes_in(const MappedFile& mapped) const;
};
struct NotThere {};  ///< the source says no
/// It has something under that name that is no use.
struct Refused {
  std::string why;
  std::string identity = {};  ///< of what was refused: while it stays the same, so does the answer
};
/// It has something that is still being written or was cut on its way: soon there may be more.
struct NotWhole {
  std::string why;
  std::string identity = {};
};
/// It has the file, which says less than Wanted::at_least and was not downloaded.
struct SaysLess {
  store::Quality best;  ///< that a cache of it can know
};
/// No answer to rely on.
struct TransientError {
  enum class Kind : std::uint8_t {
    unavailable,   ///< no connection, 5xx, a login page
    timed_out,     ///< nothing came, or too slowly
    forbidden,     ///< 401, 403: not with these credentials
    rate_limited,  ///< 429, and a 503 that says when to come back
  };
  std::string why;
  bool elsewhere_may_work = false;  ///< it may speak of one place alone, so other places of the source are still asked
  std::optional<std::chrono::seconds> retry_after = {};  ///< as a 429 or 503 asks for, at most kMaxRetryAfter
  Kind kind = Kind::unavailable;
  unsigned status = 0;  ///< of an HTTP answer; 0: there was none
};
/// This machine is out of descriptors, memory or disk space, or cannot write to its cache: nothing about the source.
struct Exhausted {
  std::string why;
};
using Outcome = std::variant<Original, NotThere, Refused, NotWhole, TransientError, Exhausted, SaysLess>;

inline constexpr std::chrono::seconds kMaxRetryAfter{24 * 3600};

/// Whether an errno says that this machine is out of something.
bool is_exhaustion(int error);
/// Exhausted or TransientError, by errno. @param what  "/path: could not open it"
Outcome failed_locally(std::string_view what, int error);

}  // namespace symcached::fetch
