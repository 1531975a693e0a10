#pragma once
/// What a .NET assembly adds to a PE image: the CLI header with the metadata, and the debug directory's entries that
/// tell of its Portable PDB. Spec: ECMA-335, II.25.3.3; the PE/COFF addendum of the .NET runtime; docs/formats/pe.md.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "formats/pe/reader.hpp"

namespace symcached::pe {

/// Bytes of an embedded PDB, unpacked.
inline constexpr std::uint64_t kMaxEmbeddedPdb = 256u << 20;
/// One of more than kFreeEmbeddedPdb bytes may be this many times as large as what it is packed in; real ones are 2 to
/// 10 times.
inline constexpr std::uint64_t kMaxEmbeddedRatio = 100;
inline constexpr std::uint64_t kFreeEmbeddedPdb = 16u << 20;

/// The part of the CLI header (directory 14) that says what the assembly is.
struct CliHeader {
  u32le size;  ///< bytes of the whole header, 72
  u16le major_version;
  u16le minor_version;
  u32le metadata_rva;
  u32le metadata_size;  ///< bytes
  u32le flags;          ///< kCli…
  u32le entry_point;    ///< MethodDef token, or an RVA with kCliNativeEntryPoint
};
static_assert(sizeof(CliHeader) == 24 && alignof(CliHeader) == 1);
static_assert(offsetof(CliHeader, metadata_rva) == 8 && std::is_trivially_copyable_v<CliHeader>);
inline constexpr std::uint32_t kCliIlOnly = 0x1;
inline constexpr std::uint32_t kCliNativeEntryPoint = 0x10;

/// @return nothing for an image that is no assembly
Read<std::optional<CliHeader>> cli_header(const Image& image);
/// The metadata's bytes ("BSJB"…), in place. @return nothing for an image that is no assembly
Read<std::optional<Bytes>> metadata(const Image& image);

/// Digest of the PDB with its id bytes zeroed. Views live as long as the file's mapping.
struct PdbChecksum {
  std::string_view algorithm;  ///< "SHA256", as recorded
  Bytes digest;
};
/// A Portable PDB inside of the image.
struct EmbeddedPdb {
  std::uint32_t unpacked_size = 0;  ///< bytes, as stated
  Bytes deflated;                   ///< a raw deflate stream
};

/// All that the debug directory says of PDBs, in the order of the file.
struct DebugFiles {
  std::vector<CodeView> code_views;  ///< portable or not, see CodeView::portable
  std::vector<PdbChecksum> checksums;
  std::optional<EmbeddedPdb> embedded;  ///< the first one

  /// The record of the Portable PDB. A precompiled assembly has others for its native code (.ni.pdb), of no use for
  /// .NET frames. @return nullptr = none
  const CodeView* portable() const;
};
/// Entries of other types are passed over; one of these types that cannot be read is an error.
Read<DebugFiles> debug_files(const Image& image);

/// The PDB's bytes. Refused before it is unpacked if it would be too large, alone or for what it is packed in; and if
/// it is not as large as stated.
Read<Buffer> unpack(const EmbeddedPdb& embedded);

}  // namespace symcached::pe
