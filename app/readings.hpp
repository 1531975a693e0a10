#pragma once
/// Metrics whose values are known when they are asked for.
#include <prometheus/metric_family.h>

#include <cstdint>
#include <vector>

namespace symcached::app {

/// One number without labels.
struct Reading {
  const char *name, *help;
  prometheus::MetricType type;  ///< a counter or a gauge
  double value;
};
prometheus::MetricFamily family_of(const Reading& reading);

/// A value of a family.
prometheus::ClientMetric counted(std::vector<prometheus::ClientMetric::Label> labels, double value);

inline double number(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace symcached::app
