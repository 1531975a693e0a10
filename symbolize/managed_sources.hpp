#pragma once
/// The sources of a .NET module: embedded in its PDB, on this machine where they were compiled, or by Source Link.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/buffer.hpp"
#include "object/managed/embedded_sources.hpp"
#include "object/managed/files.hpp"
#include "object/managed/source_link.hpp"

namespace symcached::symbolize {

/// Gets a text over HTTP. @return nothing if there is none to have
using FetchText = std::function<std::optional<std::string>(const std::string& url)>;

class ManagedSources {
 public:
  /// @param pdb    must outlive it
  /// @param fetch  empty: nothing may be fetched
  static Read<ManagedSources> open(const ppdb::Pdb& pdb, FetchText fetch);

  /// The file's bytes if they are at hand: a text found outside of the PDB counts only if it has the hash that the PDB
  /// states. What was found once is kept.
  std::optional<Bytes> source(std::string_view document);
  /// Where Source Link says that the document is.
  std::optional<std::string> url_of(std::string_view document) const;

 private:
  ManagedSources(const ppdb::Pdb& pdb, object::EmbeddedSources embedded, FetchText fetch)
      : pdb_(&pdb), embedded_(std::move(embedded)), fetch_(std::move(fetch)) {}
  std::optional<Buffer> look_for(std::string_view document) const;
  bool is_right(std::string_view document, Bytes text) const;

  const ppdb::Pdb* pdb_;
  object::EmbeddedSources embedded_;
  std::optional<object::SourceLink> link_;
  FetchText fetch_;
  std::map<std::string, std::optional<Buffer>, std::less<>> known_;
};

}  // namespace symcached::symbolize
