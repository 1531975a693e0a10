#pragma once
/// The version of every kind of cache entry. Raise one when what its entries hold changes meaning: entries of the old
/// version are not looked at any more.
#include "store/store.hpp"

namespace symcached::service {

inline constexpr store::CacheKind kObjects{"objects", 1};
inline constexpr store::CacheKind kSymcaches{"symcaches", 1};

}  // namespace symcached::service
