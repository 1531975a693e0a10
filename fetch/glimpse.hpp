#pragma once
/// What parts of a large file say of it, before all of it is downloaded. docs/protocols/downloads.md, "Looking first".
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "sources/module_ids.hpp"
#include "store/entry.hpp"

namespace symcached::fetch {

struct FilePart {
  std::uint64_t offset = 0, size = 0;  ///< bytes
  bool operator==(const FilePart&) const = default;
};
inline constexpr std::uint64_t kPart = 64 << 10;    ///< bytes that are asked for at once
inline constexpr std::size_t kMaxGlimpseParts = 8;  ///< that are looked at

struct Glimpse {
  /// As of stated_ids(), but of a PDB the GUID alone counts: its age is another one than that of requests. Empty: it
  /// cannot be told, or not yet.
  std::vector<sources::FileRequest> stated = {};
  std::optional<store::Quality> offers = {};  ///< of ELF files: the most that a cache of it can know
  std::optional<FilePart> more = {};          ///< with this part, at most kPart bytes, more can be told

  bool operator==(const Glimpse&) const = default;
  std::string text() const;  ///< from one process to another
  /// @return nothing for a text that text() did not make
  static std::optional<Glimpse> parse(std::string_view text);
};

/// Knows ELF, PE, PDB and Breakpad files; of others nothing is said.
/// @param file   as large as the whole; what is not in the known parts is not relied upon
/// @param known  the first of them is the file's start
Glimpse glimpse_of(Bytes file, std::span<const FilePart> known);

/// Whether a file that states this cannot be the one that is wanted; why, or empty.
std::string objection(const Glimpse& glimpse, const sources::FileRequest& wanted);

}  // namespace symcached::fetch
