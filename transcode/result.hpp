#pragma once
/// What a transcoder left in its output folder. Hostile: whoever made the PDB may have made the program write it.
/// Private to `transcode/`.
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "ids/guid.hpp"
#include "wpt/version.hpp"

namespace symcached::transcode {

struct Result {
  std::filesystem::path file;
  wpt::Version version;  ///< of its name
};

/// The one symcache below `folder`, wherever it is: found, not predicted. Other plain files do not count.
/// @return it, or a sentence: there is none or more than one, it is empty or too big, of another PDB, or there are
///         links or other things that are no plain files
std::expected<Result, std::string> find_result(const std::filesystem::path& folder, std::string_view pdb_name,
                                               const DebugId& id, std::uint64_t limit);

}  // namespace symcached::transcode
