#pragma once
/// Is a file that came from a source the one that was asked for?
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "fetch/outcome.hpp"
#include "fetch/sniff.hpp"

namespace symcached::fetch {

inline constexpr std::size_t kMaxChecksums = 8;  ///< compilers write one

/// What the first bytes of a file of this type must say.
Content content_of(sources::FileType type);

/// Whether verify() has to look into files of this type. A PDB of native code is held to its id by who converts it;
/// what is in archives and property lists says too little.
bool is_verified(sources::FileType type);

/// Holds the file to the ids that were asked for: build id, UUID, time stamp and size, GUID and stamp, the MODULE line
/// of Breakpad files; of a Portable PDB also to every checksum of an algorithm that is known.
/// @return a note on what could not be checked, empty most often; or what is wrong with the file
/// Cost: headers and tables; one pass over a Portable PDB for each checksum, of which the first kMaxChecksums count.
std::expected<std::string, std::string> verify(const Wanted& wanted, Bytes file);

/// The part of verify() that is about ids, over what stated_ids() gave.
std::expected<void, std::string> verify_stated(const sources::FileRequest& wanted,
                                               std::span<const sources::FileRequest> stated);

inline constexpr std::string_view kSymbolChecksum = "SymbolChecksum";

/// Value of the header of that name: "SHA256:0011aabb;SHA384:…". Algorithms whose names do not fit it are left out;
/// empty if none is left.
std::string symbol_checksum(std::span<const Checksum> checksums);

}  // namespace symcached::fetch
