#pragma once
/// A cache that somebody wants: of which module, and from which files of it, the best first.
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fetch/outcome.hpp"
#include "sources/module_ids.hpp"
#include "sources/module_type.hpp"
#include "symbolize/contents.hpp"
#include "symbolize/derive.hpp"

namespace symcached::service {

using sources::ModuleType;

/// What a cache is for.
enum class CacheUse : std::uint8_t {
  lookups,
  own_sources,      ///< that a debug file holds, or knows where to find
  bundled_sources,  ///< of a source bundle
};

struct CacheQuery {
  ModuleType type = ModuleType::pe;
  sources::ModuleIds module = {};
  std::string scope = std::string(fetch::kGlobalScope);
  CacheUse use = CacheUse::lookups;

  symbolize::CacheKind kind() const {
    if (use != CacheUse::lookups) return symbolize::CacheKind::sourcecache;
    return type == ModuleType::pe_dotnet ? symbolize::CacheKind::ppdbcache : symbolize::CacheKind::symcache;
  }
};

/// A file that the cache can be made from, and the most that such a file can say.
struct Candidate {
  fetch::Wanted wanted;
  symbolize::Contents best;
};

struct SourceSet;

/// A query that names at least one file.
struct CacheRequest {
  CacheQuery query;
  std::string key;  ///< what the cache is called, in one spelling: the key of its first candidate
  /// That the one who asks has brought along; null: those of the server. A cache that is there serves whoever sees its
  /// scope, but an absence or a failure is one of the sources that were asked.
  std::shared_ptr<const SourceSet> sources = nullptr;

  /// @return the request, or why nothing can be asked for
  static std::expected<CacheRequest, std::string> of(CacheQuery query);
  /// The files that the cache can be made from. Cost: several times that of the request, whose answer may be at hand.
  std::vector<Candidate> candidates() const;
  std::vector<fetch::Wanted> files() const;  ///< of the candidates
};

/// The query on one line, and back.
std::string to_line(const CacheQuery& query);
std::optional<CacheQuery> query_of_line(std::string_view line);

}  // namespace symcached::service
