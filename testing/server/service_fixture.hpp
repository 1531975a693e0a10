#pragma once
/// The service over a real store and real sources, with something in place of the workers.
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "base/overloaded.hpp"
#include "net/run_task.hpp"
#include "service/cache_service.hpp"
#include "service/cache_versions.hpp"
#include "testing/server/fake_pdb.hpp"
#include "testing/server/fake_upstream.hpp"

namespace symcached::service {

using std::chrono::milliseconds;

inline constexpr milliseconds kLong{60'000};
inline constexpr std::string_view kGuid = "3249D99D0C4049318610F4E4FB0B6936";
inline const std::string kPath = "crash.pdb/" + std::string(kGuid) + "1/crash.pdb";
inline const DebugId kId{*Guid::parse(kGuid), 1};
inline CacheQuery query_of(std::string name, const DebugId& id) {
  return {.module = {.debug_file = std::move(name), .debug_id = id}};
}
inline const CacheQuery kQuery = query_of("crash.pdb", kId);

inline std::string describe(const Outcome& outcome) {
  return std::visit(overloaded{[](const Ready& r) {
                                 const auto mapped = r.entry->map();
                                 return "ready " + std::string(as_text(mapped->bytes().subspan(store::kPayloadOffset)));
                               },
                               [](const Absent&) { return std::string("absent"); },
                               [](const Failed& f) { return (f.lasting ? "refused " : "soft ") + f.why; },
                               [](const Pending&) { return std::string("pending"); },
                               [](const Overloaded&) { return std::string("overloaded"); },
                               [](const Unable& u) { return "unable " + u.why; }},
                    outcome);
}

class ServiceTest : public ::testing::Test {
 protected:
  CacheService& serve(const std::vector<std::string>& symbols, ServiceOptions options = settled()) {
    std::vector<std::unique_ptr<fetch::Source>> sources;
    for (const std::string& text : symbols) sources.push_back(std::move(*fetch::make_source(text, objects_, client_)));
    return serve(std::move(sources), std::move(options));
  }
  CacheService& serve(std::vector<std::unique_ptr<fetch::Source>> sources, ServiceOptions options) {
    service_.reset();
    service_ = std::make_unique<CacheService>(
        *store_, std::move(sources),
        [this](worker::Job job, worker::Sink sink) { return run(std::move(job), std::move(sink)); },
        [this](Severity, const std::string& line) {
          const std::scoped_lock lock(mutex_);
          log_ += line + "\n";
        },
        options);
    return *service_;
  }
  /// Files that a test has just written count as those that nobody writes any more.
  static ServiceOptions settled() {
    ServiceOptions options;
    options.retry.settling = std::chrono::seconds(0);
    return options;
  }
  /// In place of a worker: the content behind the first bytes of a PDB says what comes of it.
  Task<worker::Result> run(worker::Job job, worker::Sink sink) {
    ++conversions_;
    if (gate_.valid()) gate_.wait();
    const auto extent = Extent::parse(job.arguments);
    const auto mapped = MappedFile::from_descriptor(job.inputs.front().file->get(), "input");
    const std::string_view text = as_text(mapped->bytes().subspan(extent->offset, extent->size)).substr(32);
    if (text == "broken") co_return worker::Refused{"pdb.stream: broken"};
    if (text == "deadly") co_return worker::Died{"ended with signal 11 (Segmentation fault)"};
    if (text == "moving") co_return worker::Changed{"its size went from 1 to 2 bytes while it was read"};
    if (text == "unlucky") co_return worker::NotRun{"cannot start a worker process: Too many open files"};
    const auto written = sink(as_bytes("cache of " + std::string(text)));
    if (!written) co_return worker::SinkFailed{written.error()};
    const auto contents = text.starts_with("poor") ? symbolize::Contents::symbol_table : symbolize::Contents::lines;
    const bool of_sources = job.kind == static_cast<std::uint32_t>(JobKind::derive_sources);
    const auto kind = of_sources ? symbolize::CacheKind::sourcecache : symbolize::CacheKind::symcache;
    co_return worker::Done{DerivedNote{.kind = kind, .contents = contents, .debug_id = kId}.text()};
  }
  std::string find(const CacheQuery& query = kQuery, milliseconds hold = kLong) {
    return describe(run_task(service_->find(query, hold)));
  }
  std::string log() {
    const std::scoped_lock lock(mutex_);
    return log_;
  }
  void TearDown() override {
    client_.stop();
    service_.reset();
  }

  TempFolder cache_;
  TempFolder symbols_;
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::open(cache_.path(), 1));
  fetch::ObjectCache objects_{*store_, kObjects, {}, fetch::reader_of_this_process()};
  fetch::HttpClient client_{{}, "Test/1"};
  std::mutex mutex_;
  std::string log_;
  std::atomic<int> conversions_ = 0;
  std::shared_future<void> gate_;
  std::unique_ptr<CacheService> service_;
};

}  // namespace symcached::service
