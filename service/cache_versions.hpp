#pragma once
/// The version of every kind of cache entry. Raise one when what its entries hold changes meaning: entries of the old
/// version are not looked at any more.
#include <array>

#include "ppdbcache/format.hpp"
#include "store/store.hpp"
#include "symcache/format.hpp"

namespace symcached::service {

inline constexpr store::CacheKind kObjects{"objects", 1};
inline constexpr store::CacheKind kSymcaches{"symcaches", 2};
inline constexpr store::CacheKind kPpdbcaches{"ppdbcaches", 1};
inline constexpr std::array kCacheKinds{kObjects, kSymcaches, kPpdbcaches};
static_assert(symcache::kFormatVersion == 2, "the symcache format changed: raise the version of kSymcaches too");
static_assert(ppdbcache::kFormatVersion == 1, "the ppdbcache format changed: raise the version of kPpdbcaches too");

}  // namespace symcached::service
