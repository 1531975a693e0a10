#include "object/describe_managed.hpp"

#include <algorithm>

#include "base/hex.hpp"
#include "formats/pe/managed.hpp"
#include "formats/ppdb/checksum.hpp"
#include "formats/ppdb/pdb.hpp"
#include "ppdbcache/reader.hpp"

namespace symcached::object {
namespace {

constexpr std::string_view kUsualAlgorithm = "SHA256";

void keep_first(FileInfo& info, const ReadError& error) {
  if (!info.error) info.error = error;
}

void add_feature_if(bool has, FileInfo& info, std::string_view feature) {
  if (has && std::ranges::find(info.features, feature) == info.features.end()) info.features.push_back(feature);
}

/// Documents, Source Link, and whether sources are inside.
void describe_pdb_contents(FileInfo& info, const ppdb::Pdb& pdb) {
  const auto documents = pdb.documents();
  if (!documents) keep_first(info, documents.error());
  bool has_sources = false;
  for (std::uint32_t row = 1; documents && row <= documents->size(); ++row) {
    info.documents.push_back((*documents)[row - 1].name);
    const auto source = pdb.embedded_source(row);
    if (!source) keep_first(info, source.error());
    else has_sources |= source->has_value();
  }
  const auto link = pdb.source_link();
  if (!link) keep_first(info, link.error());
  else if (*link) info.source_link = **link;
  add_feature_if(pdb.method_count() != 0, info, "lines");
  add_feature_if(has_sources, info, "embedded-sources");
  add_feature_if(!info.source_link.empty(), info, "source-link");
}

std::string checksum_text(std::string_view algorithm, Bytes digest) {
  return std::string(algorithm) + ":" + to_hex(digest);
}

}  // namespace

void describe_portable_pdb(FileInfo& info, Bytes file) {
  const auto pdb = ppdb::Pdb::open(file);
  if (!pdb) return keep_first(info, pdb.error());
  info.debug_id = pdb->debug_id();
  info.checksums.push_back(checksum_text(kUsualAlgorithm, ppdb::checksum_of(*pdb, kUsualAlgorithm)));
  describe_pdb_contents(info, *pdb);
}

void describe_assembly(FileInfo& info, const pe::Image& image) {
  const auto debug = pe::debug_files(image);
  if (!debug) return keep_first(info, debug.error());
  for (const pe::PdbChecksum& sum : debug->checksums)
    info.checksums.push_back(checksum_text(sum.algorithm, sum.digest));
  if (!debug->embedded) return;
  const auto unpacked = pe::unpack(*debug->embedded);
  if (!unpacked) return keep_first(info, unpacked.error());
  const auto pdb = ppdb::Pdb::open(unpacked->bytes());
  if (!pdb) return keep_first(info, pdb.error());
  if (!info.debug_id) info.debug_id = pdb->debug_id();
  describe_pdb_contents(info, *pdb);
}

void describe_ppdbcache(FileInfo& info, Bytes file) {
  const auto cache = ppdbcache::Reader::open(file);
  if (!cache) return keep_first(info, cache.error());
  info.debug_id = cache->debug_id();
  add_feature_if(cache->method_count() != 0, info, "lines");
  add_feature_if(cache->has_names(), info, "names");
  for (std::uint32_t i = 0; i < cache->document_count(); ++i)
    if (const auto document = cache->document(i)) info.documents.emplace_back(document->path);
}

}  // namespace symcached::object
