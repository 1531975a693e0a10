#include "symbolize/managed_sources.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/mapped_file.hpp"
#include "formats/ppdb/checksum.hpp"

namespace symcached::symbolize {
namespace {

constexpr std::uint64_t kMaxSource = 64u << 20;  ///< bytes of a source on disk

Buffer copy_of(Bytes bytes) {
  Buffer copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

/// A path of the machine that compiled, which may be this one.
std::optional<Buffer> on_disk(std::string_view document) {
  const std::filesystem::path path(document);
  std::error_code error;
  if (!path.is_absolute() || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const auto file = MappedFile::open(path);
  if (!file || file->bytes().size() > kMaxSource) return std::nullopt;
  return copy_of(file->bytes());
}

}  // namespace

Read<ManagedSources> ManagedSources::open(const ppdb::Pdb& pdb, FetchText fetch) {
  SC_TRY(auto embedded, object::EmbeddedSources::open(pdb));
  ManagedSources sources(pdb, std::move(embedded), std::move(fetch));
  SC_TRY(const auto json, pdb.source_link());
  if (json) {
    SC_TRY(sources.link_, object::SourceLink::parse(*json));
  }
  return sources;
}

std::optional<std::string> ManagedSources::url_of(std::string_view document) const {
  return link_ ? link_->url_of(document) : std::nullopt;
}

std::optional<Bytes> ManagedSources::source(std::string_view document) {
  auto known = known_.find(document);
  if (known == known_.end()) known = known_.emplace(std::string(document), look_for(document)).first;
  return known->second ? std::optional(known->second->bytes()) : std::nullopt;
}

std::optional<Buffer> ManagedSources::look_for(std::string_view document) const {
  if (auto inside = embedded_.source(document); inside && *inside) return std::move(*inside);
  if (auto local = on_disk(document); local && is_right(document, local->bytes())) return local;
  const auto url = fetch_ ? url_of(document) : std::nullopt;
  if (!url) return std::nullopt;
  const auto fetched = fetch_(*url);
  if (!fetched || !is_right(document, as_bytes(*fetched))) return std::nullopt;
  return copy_of(as_bytes(*fetched));
}

/// Where the PDB has no hash, or one of an unknown kind, nothing speaks for a text.
bool ManagedSources::is_right(std::string_view document, Bytes text) const {
  const auto row = embedded_.document(document);
  const auto stated = row ? pdb_->document(*row) : Read<ppdb::Document>(bad_value("ppdb.document", 0, 0));
  if (!stated || stated->hash.empty()) return false;
  const char* algorithm = stated->hash_algorithm == ppdb::HashAlgorithm::sha256 ? "SHA256"
                          : stated->hash_algorithm == ppdb::HashAlgorithm::sha1 ? "SHA1"
                                                                                : "";
  const auto digest = ppdb::digest_of(algorithm, {text});
  return !digest.empty() && std::ranges::equal(digest, stated->hash);
}

}  // namespace symcached::symbolize
