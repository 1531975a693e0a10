#include "app/readings.hpp"

namespace symcached::app {

using prometheus::ClientMetric;

prometheus::MetricFamily family_of(const Reading& reading) {
  ClientMetric metric;
  if (reading.type == prometheus::MetricType::Counter) metric.counter.value = reading.value;
  else metric.gauge.value = reading.value;
  return {reading.name, reading.help, reading.type, {metric}};
}

ClientMetric counted(std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = value;
  return metric;
}

}  // namespace symcached::app
