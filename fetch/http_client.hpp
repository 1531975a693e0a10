#pragma once
/// GET and HEAD over http and https, streaming, as coroutines. One thread of libcurl's multi interface serves them all.
#include <memory>
#include <mutex>
#include <string>

#include "fetch/hop.hpp"
#include "fetch/host_health.hpp"
#include "fetch/http_result.hpp"
#include "fetch/limits.hpp"
#include "fetch/waits.hpp"
#include "net/task.hpp"

namespace symcached::fetch {

class HttpWorker;

class HttpClient {
 public:
  /// @param breaker  when hosts that fail are left alone
  /// @param waits    for those who ask again after a while
  HttpClient(Limits limits, std::string user_agent, BreakerRules breaker = {}, Waits waits = Waits::real());
  /// Transfers under way end first. The event loops of those who wait must still be there.
  ~HttpClient();

  /// Follows redirects as docs/protocols/symstore.md says. Credentials in the URL and the headers are sent to its own
  /// origin alone. The sink is called on the client's thread and lives until the task is done; bodies of answers other
  /// than 200 are thrown away.
  Task<HttpResult> ask(HttpRequest request);
  const Limits& limits() const { return limits_; }
  const Waits& waits() const { return waits_; }
  /// Of all hosts that it asks.
  HostHealth& hosts() { return hosts_; }

  /// Ends transfers under way and refuses new ones; afterwards no callback comes from the client's thread any more.
  void stop();

 private:
  HttpWorker& worker();

  const Limits limits_;
  const std::string user_agent_;
  const Waits waits_;
  HostHealth hosts_;
  std::mutex mutex_;
  bool stopped_ = false;
  std::unique_ptr<HttpWorker> worker_;  ///< there from the first request on, which is what loads libcurl
};

}  // namespace symcached::fetch
