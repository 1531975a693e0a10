#include "app/symbolication_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

#include "app/readings.hpp"

namespace symcached::app {
namespace {

using prometheus::Counter;
using prometheus::MetricFamily;
using prometheus::MetricType;

const prometheus::Histogram::BucketBoundaries kSeconds{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};

/// One for each status that whole answers have: those before `pending`.
template <class Status, std::size_t N>
void by_status(std::array<Counter*, N>& counters, prometheus::Family<Counter>& family, Status pending) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(pending); ++i)
    counters[i] = &family.Add({{"status", std::string(name_of(static_cast<Status>(i)))}});
}

template <std::size_t N>
void add_counts(const std::array<Counter*, N>& counters, const std::array<std::uint64_t, N>& counts) {
  for (std::size_t i = 0; i < N; ++i)
    if (counters[i] != nullptr && counts[i] != 0) counters[i]->Increment(number(counts[i]));
}

MetricFamily source_texts(const service::SourceFileStats& texts) {
  MetricFamily family{"symcached_source_texts_total",
                      "texts of source files asked for from where debug files link to, by outcome",
                      MetricType::Counter,
                      {}};
  const std::pair<const char*, std::uint64_t> outcomes[] = {{"found", texts.found},
                                                            {"absent", texts.absent},
                                                            {"malformed", texts.malformed},
                                                            {"unavailable", texts.unavailable}};
  for (const auto& [outcome, count] : outcomes) family.metric.push_back(counted({{"outcome", outcome}}, number(count)));
  return family;
}

}  // namespace

SymbolicationMetrics::SymbolicationMetrics(prometheus::Registry& registry) {
  const auto family = [&registry](const char* name, const char* help) -> prometheus::Family<Counter>& {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  };
  auto& requests =
      family("symcached_symbolications_total", "requests with stack traces that were worked on, by status");
  for (std::size_t i = 0; i < requests_.size(); ++i)
    requests_[i] = &requests.Add({{"status", service::kRequestResults[i]}});
  by_status(modules_, family("symcached_symbolication_modules_total", "modules of these requests, by status"),
            stacks::ModuleStatus::fetching);
  by_status(frames_, family("symcached_symbolication_frames_total", "frames of their answers, by status"),
            stacks::FrameStatus::pending);
  bytes_ = &family("symcached_symbolication_answer_bytes_total", "bytes of their answers").Add({});
  seconds_ = &prometheus::BuildHistogram()
                  .Name("symcached_symbolication_duration_seconds")
                  .Help("time of a request with stack traces, with the wait for its turn")
                  .Register(registry)
                  .Add({}, kSeconds);
}

void SymbolicationMetrics::ended(const service::RequestEnd& end) {
  requests_[static_cast<std::size_t>(end.answer.result)]->Increment();
  add_counts(modules_, end.answer.numbers.modules);
  add_counts(frames_, end.answer.numbers.frames);
  bytes_->Increment(number(end.answer.body.size()));
  seconds_->Observe(std::chrono::duration<double>(end.took).count());
}

void SymbolicationMetrics::add_readings(std::vector<MetricFamily>& families, const SymbolicationStats& now) {
  constexpr auto kGauge = MetricType::Gauge;
  constexpr auto kCounter = MetricType::Counter;
  const service::RequestStats& requests = now.requests;
  const service::OpenModuleStats& open = now.stacks.open;
  const Reading all[] = {
      {"symcached_symbolications_in_flight", "requests with stack traces worked on", kGauge, number(requests.active)},
      {"symcached_symbolications_queued", "those that wait for their turn", kGauge, number(requests.queued)},
      {"symcached_symbolications_held", "clients that wait for an answer", kGauge, number(requests.held)},
      {"symcached_symbolications_refused_total", "requests refused, over a limit", kCounter, number(requests.refused)},
      {"symcached_symbolications_cancelled_total", "requests that their clients took back", kCounter,
       number(requests.cancelled)},
      {"symcached_kept_answers", "answers in memory that wait for their clients", kGauge, number(requests.kept)},
      {"symcached_kept_answer_bytes", "bytes of them", kGauge, number(requests.kept_bytes)},
      {"symcached_partial_answer_bytes", "bytes of kept answers to requests that are not done", kGauge,
       number(requests.partial_bytes)},
      {"symcached_open_caches", "caches kept open for lookups", kGauge, number(open.count)},
      {"symcached_open_cache_bytes", "memory of them", kGauge, number(open.bytes)},
      {"symcached_open_cache_hits_total", "modules whose cache was open", kCounter, number(open.hits)},
      {"symcached_open_cache_misses_total", "modules whose cache was read from disk", kCounter, number(open.misses)},
      {"symcached_candidates_asked_total", "places asked one by one for a module's files", kCounter,
       number(now.stacks.candidates_asked)},
      {"symcached_source_text_bytes_total", "bytes of texts of source files that were found", kCounter,
       number(now.texts.bytes)},
  };
  for (const Reading& reading : all) families.push_back(family_of(reading));
  families.push_back(source_texts(now.texts));
}

}  // namespace symcached::app
