#pragma once
/// Metrics in the format of DogStatsD: `symcached.fetches:3|c|#source:msft,outcome:found`. docs/metrics.md
#include <prometheus/metric_family.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace symcached::app {

inline constexpr std::size_t kMaxDatagram = 1'400;  ///< bytes; what networks take in one piece

class StatsdLines {
 public:
  /// @param prefix  of all names; empty: none
  explicit StatsdLines(const std::string& prefix);

  /// Gauges as they are, of counters what was added since the last call, where that is anything.
  /// @return  datagrams of whole lines, at most kMaxDatagram long
  std::vector<std::string> datagrams(const std::vector<prometheus::MetricFamily>& now);

 private:
  void put_metric(const prometheus::MetricFamily& family, const prometheus::ClientMetric& metric);
  void put_counter(const std::string& name, const std::string& tags, double value);
  void put(std::string line);

  const std::string prefix_;  ///< with its dot
  std::unordered_map<std::string, double> before_;
  std::vector<std::string> datagrams_;
};

}  // namespace symcached::app
