#include "app/statsd_lines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

namespace symcached::app {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

constexpr std::string_view kOurs = "symcached_", kTotal = "_total";

/// What the format gives a meaning is replaced.
std::string plain(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) <= ' ' || std::string_view(":|@#,").find(c) != std::string_view::npos) c = '_';
  return out;
}

std::string name_of(std::string_view name) {
  if (name.starts_with(kOurs)) name.remove_prefix(kOurs.size());
  if (name.ends_with(kTotal)) name.remove_suffix(kTotal.size());
  return std::string(name);
}

std::string tags_of(const ClientMetric& metric) {
  std::string tags;
  for (const ClientMetric::Label& label : metric.label)
    tags += fmt::format("{}{}:{}", tags.empty() ? "|#" : ",", label.name, plain(label.value));
  return tags;
}

}  // namespace

StatsdLines::StatsdLines(const std::string& prefix) : prefix_(prefix.empty() ? "" : plain(prefix) + '.') {}

std::vector<std::string> StatsdLines::datagrams(const std::vector<prometheus::MetricFamily>& now) {
  for (const prometheus::MetricFamily& family : now)
    for (const ClientMetric& metric : family.metric) put_metric(family, metric);
  return std::exchange(datagrams_, {});
}

void StatsdLines::put_metric(const prometheus::MetricFamily& family, const ClientMetric& metric) {
  const std::string name = prefix_ + name_of(family.name), tags = tags_of(metric);
  if (family.type == MetricType::Gauge) {
    put(fmt::format("{}:{:.15g}|g{}", name, metric.gauge.value, tags));
  } else if (family.type == MetricType::Counter) {
    put_counter(name, tags, metric.counter.value);
  } else if (family.type == MetricType::Histogram) {
    put_counter(name + ".count", tags, static_cast<double>(metric.histogram.sample_count));
    put_counter(name + ".sum", tags, metric.histogram.sample_sum);
  }
}

void StatsdLines::put_counter(const std::string& name, const std::string& tags, double value) {
  const double added = value - std::exchange(before_[name + tags], value);
  if (added > 0) put(fmt::format("{}:{:.15g}|c{}", name, added, tags));
}

/// One that is too long for any datagram is left out.
void StatsdLines::put(std::string line) {
  if (line.size() > kMaxDatagram) return;
  if (datagrams_.empty() || datagrams_.back().size() + 1 + line.size() > kMaxDatagram)
    datagrams_.push_back(std::move(line));
  else datagrams_.back().append("\n").append(line);
}

}  // namespace symcached::app
