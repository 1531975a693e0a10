#pragma once
/// Is this the very PDB that an assembly was built with? Spec: the PE/COFF addendum of the .NET runtime, "Portable PDB
/// Checksum"; docs/formats/portable_pdb.md.
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "formats/ppdb/reader.hpp"

namespace symcached::ppdb {

enum class ChecksumResult : std::uint8_t {
  equal,
  different,
  unknown_algorithm,  ///< nothing was compared
  other_size,         ///< nothing was compared: no digest of that algorithm has so many bytes
};

/// Hash of some bytes, as if they stood behind one another; empty for an algorithm that is not known.
std::vector<std::byte> digest_of(std::string_view algorithm, std::initializer_list<Bytes> parts);

/// Hashes the whole file with its 20 id bytes taken for zeros; empty for an algorithm that is not known.
/// @param algorithm  "SHA256", "SHA384", "SHA512" or "SHA1", in this case: as the assembly's debug directory has it
/// Cost: one pass, 0.5 to 2 GB/s.
std::vector<std::byte> checksum_of(const Pdb& pdb, std::string_view algorithm);

/// The same, compared.
ChecksumResult verify_checksum(const Pdb& pdb, std::string_view algorithm, Bytes digest);

}  // namespace symcached::ppdb
