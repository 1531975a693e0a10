#include "object/managed/describe.hpp"

#include "base/hex.hpp"
#include "formats/pe/managed.hpp"
#include "formats/ppdb/checksum.hpp"
#include "formats/ppdb/reader.hpp"

namespace symcached::object {
namespace {

constexpr std::string_view kUsualAlgorithm = "SHA256";

/// Documents, Source Link, and whether sources are inside.
void describe_pdb_contents(FileInfo& info, const ppdb::Pdb& pdb) {
  const auto documents = pdb.documents();
  if (!documents) info.keep_first(documents.error());
  bool has_sources = false;
  for (std::uint32_t row = 1; documents && row <= documents->size(); ++row) {
    info.documents.push_back((*documents)[row - 1].name);
    const auto source = pdb.embedded_source(row);
    if (!source) info.keep_first(source.error());
    else has_sources |= source->has_value();
  }
  const auto link = pdb.source_link();
  if (!link) info.keep_first(link.error());
  else if (*link) info.source_link = **link;
  if (pdb.method_count() != 0) info.add_feature("lines");
  if (has_sources) info.add_feature("embedded-sources");
  if (!info.source_link.empty()) info.add_feature("source-link");
}

std::string checksum_text(std::string_view algorithm, Bytes digest) {
  return std::string(algorithm) + ":" + to_hex(digest);
}

}  // namespace

void describe_portable_pdb(FileInfo& info, Bytes file) {
  const auto pdb = ppdb::Pdb::open(file);
  if (!pdb) return info.keep_first(pdb.error());
  info.debug_id = pdb->debug_id();
  info.checksums.push_back(checksum_text(kUsualAlgorithm, ppdb::checksum_of(*pdb, kUsualAlgorithm)));
  describe_pdb_contents(info, *pdb);
}

void describe_assembly(FileInfo& info, const pe::Image& image) {
  const auto debug = pe::debug_files(image);
  if (!debug) return info.keep_first(debug.error());
  for (const pe::PdbChecksum& sum : debug->checksums)
    info.checksums.push_back(checksum_text(sum.algorithm, sum.digest));
  if (!debug->embedded) return;
  const auto unpacked = pe::unpack(*debug->embedded);
  if (!unpacked) return info.keep_first(unpacked.error());
  const auto pdb = ppdb::Pdb::open(unpacked->bytes());
  if (!pdb) return info.keep_first(pdb.error());
  if (!info.debug_id) info.debug_id = pdb->debug_id();
  describe_pdb_contents(info, *pdb);
}

}  // namespace symcached::object
