#pragma once
/// A request of the SymCache protocol: text to query, or what is wrong with it. Pure.
/// Spec: docs/protocols/symcache-http.md.
#include <expected>
#include <optional>
#include <span>
#include <string>

#include "net/http.hpp"
#include "service/cache_query.hpp"
#include "wpt/version.hpp"

namespace symcached::api {

struct Refusal {
  unsigned status;  ///< 400 or 404
  std::string why;  ///< one line for the client
};

struct PdbPath {
  std::string pdb_name;  ///< as the client spelt it; sources::check_file_name() accepted it
  DebugId id;

  service::CacheQuery query() const {
    return {.type = service::ModuleType::pe, .module = {.debug_file = pdb_name, .debug_id = id}};
  }
};

struct SymcachePath {
  wpt::Version version;
  PdbPath pdb;
};

/// @param segments  still percent-encoded: name, id and, if given, age; an empty one at the end (a trailing slash) does
///                  not count
std::expected<PdbPath, Refusal> parse_pdb_path(std::span<const std::string> segments);

/// @param segments  what follows the base path: version, then those of a PDB
std::expected<SymcachePath, Refusal> parse_symcache_path(std::span<const std::string> segments);

struct SymcacheConditions {
  std::optional<wpt::Version> exceeds;  ///< If-Version-Exceeds: the version the client has
  bool may_retry = false;               ///< Allow-Retry-After or Accept-Retry-After: the client polls
};

std::expected<SymcacheConditions, Refusal> parse_symcache_conditions(const http::Request& request,
                                                                     const wpt::Version& requested);

}  // namespace symcached::api
