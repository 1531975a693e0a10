#pragma once
/// What became of the files that a module's symbols might have come from.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::stacks {

/// Of a clock on the wall.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

/// What a file can tell; of a module, what all files that were used can.
struct Features {
  bool has_debug_info = false, has_unwind_info = false, has_symbols = false, has_sources = false;
  bool operator==(const Features&) const = default;
  Features& operator|=(const Features& other);
};

enum class DownloadStatus : std::uint8_t { ok, malformed, no_permission, not_found, error };
std::string_view name_of(DownloadStatus status);  ///< "noperm", "notfound"

/// What came of a file that was used.
struct UseStatus {
  enum class Kind : std::uint8_t { ok, malformed, error } kind = Kind::ok;
  std::string details = {};  ///< of an error
};
std::string_view name_of(UseStatus::Kind kind);

/// Says `location` where a source has no place at all for a module's files. Their download is not_found.
inline constexpr std::string_view kNoFilesListed = "No object files listed on this source";

struct CandidateInfo {
  std::string source;    ///< id in the request or the configuration
  std::string location;  ///< URI; nothing secret in it
  DownloadStatus download = DownloadStatus::not_found;
  std::string details = {};                          ///< of no_permission and error
  std::optional<Features> features = {};             ///< of ok
  std::optional<UseStatus> unwind = {}, debug = {};  ///< nothing: not used for that

  // For explanations alone.
  std::string why = {};                   ///< of malformed and errors, where `details` does not say it; nothing secret
  std::optional<WallTime> retry_at = {};  ///< nobody is asked again before then; nothing: at once

  const std::string& heard() const { return why.empty() ? details : why; }
};

/// A reason without the place in front of it, which is told beside it.
std::string without_place(std::string why, const std::string& location);

/// In the order of the protocol: by source, then location, each once. Of two the one that was used stays.
void tidy(std::vector<CandidateInfo>& candidates);

}  // namespace symcached::stacks
