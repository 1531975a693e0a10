#pragma once
/// The version of every kind of cache entry. Raise one when what its entries hold changes meaning, or when what makes
/// them got better.
#include <array>

#include "ppdbcache/format.hpp"
#include "sourcecache/format.hpp"
#include "store/store.hpp"
#include "symbolize/derive.hpp"
#include "symbolize/user_cache.hpp"
#include "symcache/format.hpp"

namespace symcached::service {

/// A kind of derived cache. Entries from `oldest` on are still served, while new ones are made in the background: those
/// that today's readers can read.
struct DerivedKind {
  store::CacheKind now;
  std::uint32_t oldest;
};

inline constexpr store::CacheKind kObjects{"objects", 2};
inline constexpr DerivedKind kSymcaches{{"symcaches", 4}, 3};  // 4: sections, functions without names
inline constexpr DerivedKind kPpdbcaches{{"ppdbcaches", 1}, 1};
inline constexpr DerivedKind kSourcecaches{{"sourcecaches", 1}, 1};
inline constexpr store::CacheKind kSourcefiles{"sourcefiles", 1};  ///< texts, from where files say that they are
inline constexpr store::CacheKind kRequests{"requests", 1};        ///< that clients come back for, and their answers
inline constexpr std::array kCacheKinds{kObjects,     kSymcaches.now, kPpdbcaches.now,          kSourcecaches.now,
                                        kSourcefiles, kRequests,      symbolize::kKeptSymcaches};
static_assert(symbolize::kKeptSymcaches.version == kSymcaches.now.version, "both are made by the same code");
static_assert(symcache::kFormatVersion == 3, "the symcache format changed: raise both versions of kSymcaches");
static_assert(ppdbcache::kFormatVersion == 1, "the ppdbcache format changed: raise both versions of kPpdbcaches");
static_assert(sourcecache::kFormatVersion == 1, "the sourcecache format changed: raise both versions of kSourcecaches");

struct CacheVersions {
  DerivedKind symcaches = kSymcaches;
  DerivedKind ppdbcaches = kPpdbcaches;
  DerivedKind sourcecaches = kSourcecaches;

  const DerivedKind& of(symbolize::CacheKind kind) const {
    switch (kind) {
      case symbolize::CacheKind::symcache: return symcaches;
      case symbolize::CacheKind::ppdbcache: return ppdbcaches;
      case symbolize::CacheKind::sourcecache: break;
    }
    return sourcecaches;
  }
};

}  // namespace symcached::service
