#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>

#include "app/readings.hpp"
#include "app/statsd_sender.hpp"

namespace symcached::app {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MetricFamily counter(const std::string& name, double value, std::vector<ClientMetric::Label> labels = {}) {
  return {name, "", MetricType::Counter, {counted(std::move(labels), value)}};
}
MetricFamily gauge(const char* name, double value) { return family_of({name, "", MetricType::Gauge, value}); }
MetricFamily histogram(const std::string& name, std::uint64_t count, double sum) {
  ClientMetric metric;
  metric.histogram.sample_count = count;
  metric.histogram.sample_sum = sum;
  return {name, "", MetricType::Histogram, {metric}};
}

TEST(StatsdLines, EveryKindOfMetric) {  // docs/metrics.md
  struct Row {
    const char* why;
    MetricFamily family;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"a gauge", gauge("symcached_jobs", 0), {"p.jobs:0|g"}},
      {"a large one", gauge("symcached_cache_bytes", 21474836480.0), {"p.cache_bytes:21474836480|g"}},
      {"a counter", counter("symcached_fetches_total", 3), {"p.fetches:3|c"}},
      {"of seconds", counter("process_cpu_seconds_total", 0.25), {"p.process_cpu_seconds:0.25|c"}},
      {"nothing to add", counter("symcached_fetches_total", 0), {}},
      {"labels",
       counter("symcached_fetches_total", 1, {{"source", "msft"}, {"outcome", "found"}}),
       {"p.fetches:1|c|#source:msft,outcome:found"}},
      {"a label of letters that mean something",
       counter("symcached_fetches_total", 1, {{"source", "a|b:c,d#e\n@"}}),
       {"p.fetches:1|c|#source:a_b_c_d_e__"}},
      {"a histogram",
       histogram("symcached_worker_job_duration_seconds", 4, 1.5),
       {"p.worker_job_duration_seconds.count:4|c\np.worker_job_duration_seconds.sum:1.5|c"}},
      {"longer than a datagram", counter("symcached_x_total", 1, {{"source", std::string(kMaxDatagram, 'x')}}), {}},
  };
  for (const Row& r : rows) EXPECT_EQ(StatsdLines("p").datagrams({r.family}), r.want) << r.why;
  EXPECT_THAT(StatsdLines("").datagrams({gauge("symcached_jobs", 1)}), ElementsAre("jobs:1|g"));
}

TEST(StatsdLines, CountersAreWhatWasAdded) {
  StatsdLines lines("p");
  const auto two = [](double one, double other) {
    MetricFamily family = counter("c_total", one, {{"l", "1"}});
    family.metric.push_back(counted({{"l", "2"}}, other));
    return std::vector{family};
  };
  EXPECT_THAT(lines.datagrams(two(1, 2)), ElementsAre("p.c:1|c|#l:1\np.c:2|c|#l:2"));
  EXPECT_THAT(lines.datagrams(two(1, 5)), ElementsAre("p.c:3|c|#l:2"));
  EXPECT_THAT(lines.datagrams(two(1, 5)), IsEmpty());
}

TEST(StatsdLines, DatagramsAreShort) {
  std::vector<MetricFamily> many(200, gauge("symcached_transcode_jobs_active", 7));
  const auto datagrams = StatsdLines("p").datagrams(many);
  std::ptrdiff_t lines = 0;
  for (const std::string& datagram : datagrams) {
    EXPECT_LE(datagram.size(), kMaxDatagram);
    lines += 1 + std::ranges::count(datagram, '\n');
  }
  EXPECT_EQ(lines, 200);
  EXPECT_GT(datagrams.size(), 1u);
}

class Statsd : public ::testing::Test {
 protected:
  using Udp = boost::asio::ip::udp;
  Statsd() : socket_(context_, Udp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {}
  std::string receive() {
    std::array<char, 2 * kMaxDatagram> buffer;
    return {buffer.data(), socket_.receive(boost::asio::buffer(buffer))};
  }
  config::Statsd config(std::chrono::milliseconds interval) {
    return {"localhost:" + std::to_string(socket_.local_endpoint().port()), "p", interval};
  }

 private:
  boost::asio::io_context context_;
  Udp::socket socket_;
};

TEST_F(Statsd, SendsAgainAndAgainAndAtTheEnd) {
  std::atomic<int> count = 0;
  const auto measure = [&count] { return std::vector{counter("symcached_fetches_total", ++count)}; };
  {
    const StatsdSender sender(config(std::chrono::milliseconds(1)), measure, [](Severity, const std::string&) {});
    EXPECT_EQ(receive(), "p.fetches:1|c");
    EXPECT_EQ(receive(), "p.fetches:1|c");
  }
  for (int received = 2; received < count; ++received) EXPECT_EQ(receive(), "p.fetches:1|c") << received;
}

TEST_F(Statsd, AFaultIsLoggedAndDoesNotEndIt) {
  std::atomic<int> count = 0;
  const auto measure = [&count] {
    if (++count == 1) throw std::runtime_error("no numbers");
    return std::vector{gauge("symcached_jobs", 1)};
  };
  std::mutex mutex;
  std::string logged;
  const Log log = [&](Severity, const std::string& line) {
    const std::scoped_lock lock(mutex);
    logged += line;
  };
  const StatsdSender sender(config(std::chrono::milliseconds(1)), measure, log);
  EXPECT_EQ(receive(), "p.jobs:1|g");
  const std::scoped_lock lock(mutex);
  EXPECT_THAT(logged, HasSubstr("statsd: no numbers"));
}

}  // namespace
}  // namespace symcached::app
