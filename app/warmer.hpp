#pragma once
/// Puts a module into the cache by the service, as a request for it would.
#include <vector>

#include "app/cache_warm.hpp"
#include "service/cache_service.hpp"
#include "store/lookup.hpp"

namespace symcached::app {

/// What kinds of module it may be, the likeliest first: names and ids tell, but not always apart.
std::vector<service::ModuleType> types_of(const sources::ModuleIds& module);

/// Safe to use from any thread. `service` outlives it.
class Warmer {
 public:
  explicit Warmer(service::CacheService& service) : service_(service) {}

  /// Waits until all is there that can be had of every kind that the module may be.
  /// @return  whether anything is there, of the best quality; else what failed, or that nothing was found
  WarmOutcome warm(const sources::ModuleIds& module);

 private:
  WarmOutcome warm(const sources::ModuleIds& module, service::ModuleType type);

  service::CacheService& service_;
  const store::TimePoint started_ = store::Store::now();
};

}  // namespace symcached::app
