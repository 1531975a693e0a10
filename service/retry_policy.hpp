#pragma once
/// How long each negative entry counts.
#include <algorithm>
#include <chrono>

#include "store/store.hpp"

namespace symcached::service {

struct RetryPolicy {
  std::chrono::seconds absent{3600};
  std::chrono::seconds malformed{24 * 3600};  ///< and only for the run that wrote it, which the store sees to
  std::chrono::seconds unavailable{60};       ///< after the first failure, doubled with each one in a row
  std::chrono::seconds unavailable_most{3600};
};

inline store::TimePoint retry_at(const store::Absent& a, const RetryPolicy& p) { return a.checked + p.absent; }
inline store::TimePoint retry_at(const store::Malformed& m, const RetryPolicy& p) { return m.checked + p.malformed; }
inline store::TimePoint retry_at(const store::Unavailable& u, const RetryPolicy& p) {
  const int doublings = std::clamp(u.failures - 1, 0, 16);
  return u.checked + std::min(p.unavailable * (1 << doublings), p.unavailable_most);
}

}  // namespace symcached::service
