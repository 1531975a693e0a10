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

/// What the first bytes of the file must say.
Content content_of(const sources::FileId& id);

/// Portable PDB: the id bytes, as far as they are known, and every checksum of an algorithm that is known. PE image:
/// time stamp and size. A PDB of native code is not looked into: who reads it compares what it says.
/// @return a note on what could not be checked, empty most often; or what is wrong with the file
/// Cost: one pass over a Portable PDB for each checksum, of which the first kMaxChecksums are compared.
std::expected<std::string, std::string> verify(const Wanted& wanted, Bytes file);

inline constexpr std::string_view kSymbolChecksum = "SymbolChecksum";

/// Value of the header of that name: "SHA256:0011aabb;SHA384:…". Algorithms whose names do not fit it are left out;
/// empty if none is left.
std::string symbol_checksum(std::span<const Checksum> checksums);

}  // namespace symcached::fetch
