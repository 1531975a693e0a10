#pragma once
/// What the server counts, as Prometheus reads it. Names and meanings: docs/metrics.md.
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/symbolication_metrics.hpp"
#include "fetch/source.hpp"
#include "net/http_server.hpp"
#include "service/cache_service.hpp"
#include "service/wpt_service.hpp"
#include "store/maintenance.hpp"
#include "store/quotas.hpp"
#include "worker/pool.hpp"

namespace prometheus {
struct MetricFamily;
}

namespace symcached::app {

/// Of Microsoft's symcaches.
struct TranscodingStats {
  service::WptStats service;
  std::uint64_t folders_read = 0, quarantined = 0;  ///< of the SymCache directory
};

/// Taken when the metrics are asked for.
struct MetricsSnapshot {
  net::ServerStats server;
  std::uint64_t over_rate = 0;        ///< requests over limits.requests_per_second
  std::uint64_t log_ins_refused = 0;  ///< requests with wrong credentials
  worker::PoolStats workers;
  service::ServiceStats service;
  store::QuotaCounts cache;
  store::MaintenanceCounts maintenance;
  std::size_t hosts_left_alone = 0;
  SymbolicationStats symbolication = {};
  std::optional<store::DiskRoom> disk = {};  ///< nothing: not known
  bool is_ready = true;
  std::optional<TranscodingStats> transcoding = {};  ///< nothing: Microsoft's symcaches are not served
};

/// Counting is safe from any thread, and costs an atomic addition.
class Metrics {
 public:
  Metrics();
  ~Metrics();

  /// @param route  of api::route_names()
  void answered(std::string_view route, unsigned status);
  /// A request with stack traces was worked on.
  void ended(const service::RequestEnd& end);
  /// The same job, with its end and its time counted.
  service::RunJob counting(service::RunJob run);
  /// The same source, with its outcomes counted. Not longer than this.
  std::unique_ptr<fetch::Source> counting(std::unique_ptr<fetch::Source> source, const std::string& id);

  std::vector<prometheus::MetricFamily> families(const MetricsSnapshot& now) const;
  /// The same in Prometheus' text format.
  std::string text(const MetricsSnapshot& now) const;

 private:
  struct Counters;
  const std::unique_ptr<Counters> counters_;
};

}  // namespace symcached::app
