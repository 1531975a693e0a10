#include "formats/pe/managed.hpp"

#include <algorithm>

#include "base/decompress.hpp"

namespace symcached::pe {
namespace {

constexpr std::uint32_t kMpdb = 0x4244504D;  ///< "MPDB"

struct EmbeddedHeader {
  u32le signature;  ///< kMpdb
  u32le size;       ///< of the PDB, unpacked; the top bit is reserved for other formats
};
static_assert(sizeof(EmbeddedHeader) == 8 && alignof(EmbeddedHeader) == 1);

Read<PdbChecksum> read_checksum(Bytes data, std::uint64_t offset) {
  ByteReader in(data, offset);
  PdbChecksum checksum;
  SC_TRY(checksum.algorithm, in.c_string("pe.pdb_checksum.algorithm"));
  checksum.digest = in.rest();
  return checksum;
}

Read<EmbeddedPdb> read_embedded(Bytes data, std::uint64_t offset) {
  ByteReader in(data, offset);
  SC_TRY(const auto header, in.read<EmbeddedHeader>("pe.embedded_pdb"));
  if (header.signature != kMpdb) return bad_value("pe.embedded_pdb.signature", offset, header.signature, kMpdb);
  if (header.size == 0) return bad_value("pe.embedded_pdb.size", offset + 4, 0);
  return EmbeddedPdb{header.size, in.rest()};
}

}  // namespace

Read<std::optional<CliHeader>> cli_header(const Image& image) {
  const auto where = image.directory(Directory::clr_header);
  if (!where) return std::nullopt;
  SC_TRY(const auto bytes, image.at_rva(where->rva, sizeof(CliHeader), "pe.cli_header"));
  return read_at<CliHeader>(bytes, 0, "pe.cli_header");
}

Read<std::optional<Bytes>> metadata(const Image& image) {
  SC_TRY(const auto header, cli_header(image));
  if (!header) return std::nullopt;
  return image.at_rva(header->metadata_rva, header->metadata_size, "pe.metadata");
}

const CodeView* DebugFiles::portable() const {
  const auto found = std::ranges::find(code_views, true, &CodeView::portable);
  return found == code_views.end() ? nullptr : &*found;
}

Read<DebugFiles> debug_files(const Image& image) {
  DebugFiles files;
  SC_TRY(const auto entries, image.debug_entries());
  for (const DebugEntryRecord& entry : entries) {
    SC_TRY(const auto view, image.code_view(entry));
    if (view) files.code_views.push_back(*view);
    const auto type = static_cast<DebugType>(std::uint32_t{entry.type});
    if (type != DebugType::pdb_checksum && type != DebugType::embedded_portable_pdb) continue;
    SC_TRY(const auto data, image.data_of(entry));
    const std::uint64_t offset = data.empty() ? 0 : static_cast<std::uint64_t>(data.data() - image.file().data());
    if (type == DebugType::pdb_checksum) {
      SC_TRY(const auto checksum, read_checksum(data, offset));
      files.checksums.push_back(checksum);
    } else if (!files.embedded) {
      SC_TRY(files.embedded, read_embedded(data, offset));
    }
  }
  return files;
}

Read<Buffer> unpack(const EmbeddedPdb& embedded) {
  constexpr std::string_view kField = "pe.embedded_pdb";
  const std::uint64_t plausible = std::max(kFreeEmbeddedPdb, embedded.deflated.size() * kMaxEmbeddedRatio);
  const std::uint64_t limit = std::min(kMaxEmbeddedPdb, plausible);
  if (embedded.unpacked_size > limit) return too_large(kField, 0, embedded.unpacked_size, limit);
  return decompress(Codec::deflate, embedded.deflated, embedded.unpacked_size, kField);
}

}  // namespace symcached::pe
