#pragma once
/// How long what went wrong is remembered.
#include <algorithm>
#include <chrono>

namespace symcached::service {

/// After the first failure, doubled with each one in a row.
struct BackOff {
  std::chrono::seconds first, most;

  std::chrono::seconds after(int failures) const {
    return std::min(first * (1 << std::clamp(failures - 1, 0, 16)), most);
  }
};

/// All but `absent` count until the next restart at the latest.
struct RetryPolicy {
  std::chrono::seconds absent{3600};
  std::chrono::seconds malformed{24 * 3600};
  BackOff unavailable{std::chrono::seconds(60), std::chrono::seconds(3600)};  ///< no connection, 5xx, a login page
  BackOff timed_out{std::chrono::seconds(60), std::chrono::seconds(3600)};
  BackOff forbidden{std::chrono::seconds(300), std::chrono::seconds(3600)};    ///< 401, 403: with these credentials
  BackOff rate_limited{std::chrono::seconds(10), std::chrono::seconds(3600)};  ///< where the server does not say when
  BackOff not_whole{std::chrono::seconds(1), std::chrono::seconds(60)};
  BackOff crashed{std::chrono::seconds(10), std::chrono::seconds(600)};
  int max_deaths = 3;                 ///< of workers on one original; then it counts as malformed
  std::chrono::seconds settling{60};  ///< an original refused within that time of its last change is not whole yet
  std::chrono::seconds upgrade_again{3600};  ///< how often a better original is looked for than the one a cache has
  std::chrono::seconds identify_again{60};   ///< how often a server is asked whether a refused original has changed
};

}  // namespace symcached::service
