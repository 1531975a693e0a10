#include "app/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "api/routes.hpp"
#include "app/process_metrics.hpp"
#include "app/readings.hpp"

namespace symcached::app {
namespace {

using prometheus::ClientMetric;
using prometheus::Counter;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr unsigned kStatuses = 600;
constexpr std::array<const char*, 7> kFetchOutcomes{"found",       "absent",           "refused",  "not_whole",
                                                    "unavailable", "out_of_resources", "says_less"};
static_assert(kFetchOutcomes.size() == std::variant_size_v<fetch::Outcome>);
constexpr std::array<const char*, 8> kSymcacheOutcomes{"sent",   "nothing_newer", "not_made",   "absent",
                                                       "failed", "pending",       "overloaded", "out_of_resources"};
static_assert(kSymcacheOutcomes.size() == std::variant_size_v<service::WptOutcome>);
constexpr std::array<const char*, 6> kJobResults{"done", "refused", "died", "changed", "sink_failed", "not_run"};
static_assert(kJobResults.size() == std::variant_size_v<worker::Result>);
const prometheus::Histogram::BucketBoundaries kSeconds{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300};

MetricFamily build_info() {
  ClientMetric metric;
  metric.label = {{"version", SYMCACHED_VERSION}};
  metric.gauge.value = 1;
  return {"symcached_build_info", "always 1", MetricType::Gauge, {metric}};
}

/// A number of each kind of cache entry.
MetricFamily by_kind(const char* name, const char* help, const store::QuotaCounts& cache,
                     std::uint64_t store::QuotaCounts::Kind::* number) {
  MetricFamily family{name, help, MetricType::Gauge, {}};
  for (const store::QuotaCounts::Kind& kind : cache.kinds) {
    ClientMetric metric;
    metric.label = {{"kind", kind.name}};
    metric.gauge.value = static_cast<double>(kind.*number);
    family.metric.push_back(std::move(metric));
  }
  return family;
}

void add_transcoding(std::vector<MetricFamily>& families, const TranscodingStats& now) {
  MetricFamily requests{"symcached_symcache_requests_total",
                        "requests for Microsoft's symcaches that could be read, by outcome",
                        MetricType::Counter,
                        {}};
  for (std::size_t i = 0; i < kSymcacheOutcomes.size(); ++i)
    requests.metric.push_back(counted({{"outcome", kSymcacheOutcomes[i]}}, number(now.service.requests[i])));
  MetricFamily runs{"symcached_transcoder_runs_total",
                    "runs of transcoders that ended, by version and result",
                    MetricType::Counter,
                    {}};
  MetricFamily seconds{"symcached_transcoder_seconds_total", "time of these runs, by version", MetricType::Counter, {}};
  for (const service::WptStats::Runs& tool : now.service.tools) {
    const std::string version = tool.version.to_string();
    runs.metric.push_back(counted({{"version", version}, {"result", "made"}}, number(tool.made)));
    runs.metric.push_back(counted({{"version", version}, {"result", "failed"}}, number(tool.failed)));
    seconds.metric.push_back(counted({{"version", version}}, tool.seconds));
  }
  for (MetricFamily* family : {&requests, &runs, &seconds}) families.push_back(std::move(*family));
  const Reading all[] = {
      {"symcached_transcode_jobs", "symcaches being made or read, or queued for it", MetricType::Gauge,
       number(now.service.jobs.jobs)},
      {"symcached_transcode_jobs_active", "symcaches being made or read", MetricType::Gauge,
       number(now.service.jobs.active)},
      {"symcached_transcode_requests_held", "requests waiting for them", MetricType::Gauge,
       number(now.service.jobs.held)},
      {"symcached_symcache_folders_read_total", "listings of folders of the SymCache directory", MetricType::Counter,
       number(now.folders_read)},
      {"symcached_symcache_damaged_total", "symcaches whose content is not what was written", MetricType::Counter,
       number(now.quarantined)},
  };
  for (const Reading& reading : all) families.push_back(family_of(reading));
}

std::vector<MetricFamily> readings_of(const MetricsSnapshot& now, const ProcessStats& process) {
  constexpr auto kGauge = MetricType::Gauge;
  constexpr auto kCounter = MetricType::Counter;
  const Reading all[] = {
      {"symcached_connections", "connections open", kGauge, number(now.server.connections_open)},
      {"symcached_connections_accepted_total", "connections accepted", kCounter,
       number(now.server.connections_accepted)},
      {"symcached_connections_refused_total", "connections refused, over a limit or for want of descriptors", kCounter,
       number(now.server.connections_refused)},
      {"symcached_connections_timed_out_total", "connections ended by a time-out", kCounter,
       number(now.server.timed_out)},
      {"symcached_connections_hung_up_total", "clients that closed before they were answered", kCounter,
       number(now.server.hung_up)},
      {"symcached_http_requests_in_flight", "requests being answered", kGauge, number(now.server.requests_in_flight)},
      {"symcached_http_requests_refused_total", "requests over limits.max_in_flight", kCounter,
       number(now.server.requests_refused)},
      {"symcached_http_requests_over_rate_total", "requests over limits.requests_per_second", kCounter,
       number(now.over_rate)},
      {"symcached_log_ins_refused_total", "requests with wrong credentials", kCounter, number(now.log_ins_refused)},
      {"symcached_tls_handshakes_total", "TLS handshakes completed", kCounter, number(now.server.handshakes)},
      {"symcached_tls_handshakes_failed_total", "TLS handshakes that were not completed", kCounter,
       number(now.server.handshakes_failed)},
      {"symcached_requests_held", "requests waiting for a conversion", kGauge, number(now.service.held)},
      {"symcached_jobs", "files being fetched or converted, or queued for it", kGauge, number(now.service.jobs)},
      {"symcached_jobs_active", "files being fetched or converted", kGauge, number(now.service.active)},
      {"symcached_refreshes_waiting", "caches that wait to be made anew", kGauge, number(now.service.refresh)},
      {"symcached_ready", "1 as long as requests should be sent here", kGauge, now.is_ready ? 1.0 : 0.0},
      {"symcached_cache_hits_total", "questions for caches that the cache directory could answer", kCounter,
       number(now.service.known)},
      {"symcached_cache_misses_total", "questions for caches that took work", kCounter, number(now.service.not_known)},
      {"symcached_cache_disk_free_bytes", "free space of the cache directory's file system", kGauge,
       number(now.disk ? now.disk->free : 0)},
      {"symcached_cache_disk_size_bytes", "size of that file system", kGauge, number(now.disk ? now.disk->size : 0)},
      {"symcached_cache_evicted_total", "entries removed to make room", kCounter, number(now.cache.evicted)},
      {"symcached_cache_expired_total", "entries removed because nobody used them", kCounter,
       number(now.cache.expired)},
      {"symcached_cache_reclaimed_bytes_total", "bytes on disk of entries removed", kCounter,
       number(now.cache.reclaimed)},
      {"symcached_cache_surveys_total", "walks through the cache directory", kCounter, number(now.maintenance.surveys)},
      {"symcached_cache_survey_found_total", "entries that others put there", kCounter, number(now.maintenance.found)},
      {"symcached_cache_survey_gone_total", "entries that others deleted", kCounter, number(now.maintenance.gone)},
      {"symcached_hosts_left_alone", "hosts of sources that failed or asked for a pause", kGauge,
       number(now.hosts_left_alone)},
      {"symcached_workers_started_total", "worker processes started", kCounter, number(now.workers.started)},
      {"symcached_worker_jobs_started_total", "jobs of workers begun", kCounter, number(now.workers.jobs)},
      {"symcached_worker_deaths_total", "jobs that cost a worker process", kCounter, number(now.workers.died)},
      {"symcached_worker_jobs_queued", "jobs waiting for a worker", kGauge, number(now.workers.queued)},
      {"process_resident_memory_bytes", "memory of the server, without its workers", kGauge,
       number(process.resident_bytes)},
      {"process_start_time_seconds", "when the server started, since 1970", kGauge, process.start_seconds},
      {"process_open_fds", "open file descriptors", kGauge, number(process.open_files)},
      {"process_max_fds", "open file descriptors allowed", kGauge, number(process.max_open_files)},
      {"process_cpu_seconds_total", "CPU time of the server, without its workers", kCounter, process.cpu_seconds},
  };
  using Kind = store::QuotaCounts::Kind;
  std::vector<MetricFamily> families{
      build_info(), by_kind("symcached_cache_entries", "entries in the cache directory", now.cache, &Kind::entries),
      by_kind("symcached_cache_bytes", "bytes on disk of them", now.cache, &Kind::bytes)};
  for (const Reading& reading : all) families.push_back(family_of(reading));
  SymbolicationMetrics::add_readings(families, now.symbolication);
  if (now.transcoding) add_transcoding(families, *now.transcoding);
  return families;
}

/// Of one source.
struct SourceCounters {
  std::array<Counter*, kFetchOutcomes.size()> outcomes;
  Counter* bytes;
};

/// Hands on every question.
class CountedSource final : public fetch::Source {
 public:
  CountedSource(std::unique_ptr<fetch::Source> source, SourceCounters counters)
      : source_(std::move(source)), counters_(counters) {}
  const std::string& name() const override { return source_->name(); }
  const std::string& key() const override { return source_->key(); }
  const std::string& id() const override { return source_->id(); }
  std::uint64_t credentials() const override { return source_->credentials(); }
  bool is_public() const override { return source_->is_public(); }
  bool is_local() const override { return source_->is_local(); }
  Task<fetch::Outcome> open(fetch::Wanted wanted) override { return counted(source_->open(std::move(wanted))); }
  sources::Layout layout() const override { return source_->layout(); }
  std::vector<std::string> places(const fetch::Wanted& wanted) override { return source_->places(wanted); }
  std::string location_of(std::string_view place) const override { return source_->location_of(place); }
  Task<fetch::Outcome> open_place(fetch::Wanted wanted, std::string place) override {
    return counted(source_->open_place(std::move(wanted), std::move(place)));
  }
  Task<std::string> identify(fetch::Wanted wanted) override { return source_->identify(std::move(wanted)); }
  void forget(const fetch::Wanted& wanted) override { source_->forget(wanted); }

 private:
  Task<fetch::Outcome> counted(Task<fetch::Outcome> question) const {
    fetch::Outcome outcome = co_await std::move(question);
    counters_.outcomes[outcome.index()]->Increment();
    if (const auto* original = std::get_if<fetch::Original>(&outcome))
      counters_.bytes->Increment(static_cast<double>(original->size));
    co_return outcome;
  }

  const std::unique_ptr<fetch::Source> source_;
  const SourceCounters counters_;
};

/// Of one kind of job.
struct JobCounters {
  prometheus::Histogram* seconds;
  std::array<Counter*, kJobResults.size()> results;
};

Task<worker::Result> counted(service::RunJob run, worker::Job job, worker::Sink sink, JobCounters counters) {
  const auto start = std::chrono::steady_clock::now();
  worker::Result result = co_await run(std::move(job), std::move(sink));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  counters.seconds->Observe(took.count());
  counters.results[result.index()]->Increment();
  co_return result;
}

}  // namespace

struct Metrics::Counters {
  using ByStatus = std::array<std::atomic<Counter*>, kStatuses>;

  prometheus::Registry registry;
  prometheus::Family<Counter>& requests = prometheus::BuildCounter()
                                              .Name("symcached_http_requests_total")
                                              .Help("requests answered, by the start of the path and status")
                                              .Register(registry);
  prometheus::Family<Counter>& fetches = prometheus::BuildCounter()
                                             .Name("symcached_fetches_total")
                                             .Help("questions to sources, by the source's id and outcome")
                                             .Register(registry);
  prometheus::Family<Counter>& bytes = prometheus::BuildCounter()
                                           .Name("symcached_fetched_bytes_total")
                                           .Help("bytes of originals that sources had, by the source's id")
                                           .Register(registry);
  prometheus::Family<Counter>& jobs = prometheus::BuildCounter()
                                          .Name("symcached_worker_jobs_total")
                                          .Help("jobs of workers that ended, by kind and result")
                                          .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds =
      prometheus::BuildHistogram()
          .Name("symcached_worker_job_duration_seconds")
          .Help("time of a job from being queued for a worker to its end")
          .Register(registry);
  std::map<std::string_view, ByStatus> by_route;  ///< made once, so that no thread has to wait for another
  SymbolicationMetrics symbolication{registry};
  JobCounters convert = jobs_of("convert"), unpack = jobs_of("unpack");

  JobCounters jobs_of(const std::string& kind) {
    JobCounters made{&seconds.Add({{"kind", kind}}, kSeconds), {}};
    for (std::size_t i = 0; i < kJobResults.size(); ++i)
      made.results[i] = &jobs.Add({{"kind", kind}, {"result", kJobResults[i]}});
    return made;
  }
};

Metrics::Metrics() : counters_(std::make_unique<Counters>()) {
  for (const std::string_view route : api::route_names()) counters_->by_route[route];
}

Metrics::~Metrics() = default;

void Metrics::answered(std::string_view route, unsigned status) {
  const auto found = counters_->by_route.find(route);
  if (found == counters_->by_route.end() || status >= kStatuses) return;
  std::atomic<Counter*>& counter = found->second[status];
  if (counter.load(std::memory_order_acquire) == nullptr)
    counter.store(&counters_->requests.Add({{"route", std::string(route)}, {"status", std::to_string(status)}}),
                  std::memory_order_release);
  counter.load(std::memory_order_acquire)->Increment();
}

void Metrics::ended(const service::RequestEnd& end) { counters_->symbolication.ended(end); }

service::RunJob Metrics::counting(service::RunJob run) {
  return [this, run = std::move(run)](worker::Job job, worker::Sink sink) {
    const bool unpacks = job.kind == static_cast<std::uint32_t>(service::JobKind::unpack);
    return counted(run, std::move(job), std::move(sink), unpacks ? counters_->unpack : counters_->convert);
  };
}

std::unique_ptr<fetch::Source> Metrics::counting(std::unique_ptr<fetch::Source> source, const std::string& id) {
  SourceCounters counters{.outcomes = {}, .bytes = &counters_->bytes.Add({{"source", id}})};
  for (std::size_t i = 0; i < counters.outcomes.size(); ++i)
    counters.outcomes[i] = &counters_->fetches.Add({{"source", id}, {"outcome", kFetchOutcomes[i]}});
  return std::make_unique<CountedSource>(std::move(source), counters);
}

std::vector<MetricFamily> Metrics::families(const MetricsSnapshot& now) const {
  std::vector<MetricFamily> families = readings_of(now, process_stats());
  for (MetricFamily& family : counters_->registry.Collect()) families.push_back(std::move(family));
  return families;
}

std::string Metrics::text(const MetricsSnapshot& now) const {
  return prometheus::TextSerializer().Serialize(families(now));
}

}  // namespace symcached::app
