#pragma once
/// What is counted of requests with stack traces. Names and meanings: docs/metrics.md.
#include <array>
#include <vector>

#include "service/request_answer.hpp"
#include "service/source_files.hpp"
#include "service/stack_service.hpp"
#include "stacks/symbolicate.hpp"

namespace prometheus {
class Counter;
class Histogram;
class Registry;
struct MetricFamily;
}  // namespace prometheus

namespace symcached::app {

/// Taken when the metrics are asked for.
struct SymbolicationStats {
  service::RequestStats requests;
  service::StackStats stacks;
  service::SourceFileStats texts;
};

/// Counting is safe from any thread, and costs a few atomic additions per request.
class SymbolicationMetrics {
 public:
  /// `registry` outlives it.
  explicit SymbolicationMetrics(prometheus::Registry& registry);
  void ended(const service::RequestEnd& end);
  static void add_readings(std::vector<prometheus::MetricFamily>& families, const SymbolicationStats& now);

 private:
  using Counter = prometheus::Counter;
  std::array<Counter*, service::kRequestResults.size()> requests_{};
  std::array<Counter*, std::tuple_size_v<stacks::ModuleCounts>> modules_{};
  std::array<Counter*, std::tuple_size_v<stacks::FrameCounts>> frames_{};
  Counter* bytes_;
  prometheus::Histogram* seconds_;
};

}  // namespace symcached::app
