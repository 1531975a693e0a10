#include "app/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "api/symbolicator/endpoint.hpp"
#include "app/cache_place.hpp"
#include "app/process.hpp"
#include "app/request_line.hpp"
#include "app/user_agent.hpp"
#include "app/worker.hpp"
#include "service/cache_versions.hpp"
#include "store/work_list.hpp"

namespace symcached::app {
namespace {

std::uint64_t random_boot() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

/// With the command that starts a worker.
worker::PoolOptions pool_options(const config::Config& config) {
  worker::PoolOptions options = config.workers;
  options.command = {"/proc/self/exe", std::string(kWorkerCommand)};
  return options;
}

fetch::BreakerRules breaker_rules(const config::DenyList& config) {
  fetch::BreakerRules rules = config.rules;
  if (!config.enabled) rules.threshold = 0;
  return rules;
}

/// Of texts that debug files link to: whoever made a debug file names the server.
fetch::TextLimits text_limits(const fetch::Limits& network) {
  fetch::TextLimits limits{.max_size = service::kMaxSourceFile,
                           .connect_timeout_ms = network.connect_timeout_ms,
                           .private_addresses = network.private_redirects};
  if (network.total_ms != 0) limits.total_ms = std::min(limits.total_ms, network.total_ms);
  return limits;
}

service::ServiceOptions service_options(const config::Config& config, const std::filesystem::path& directory,
                                        const BackendOptions& options) {
  service::ServiceOptions service = config.service;
  if (options.keeps_work) service.refresh_list = directory / store::kRefreshList;
  service.jobs.max_active = jobs_for(options.max_files);
  return service;
}

}  // namespace

Backend::Backend(const config::Config& config, std::filesystem::path directory, std::unique_ptr<store::Store> store,
                 Log log)
    : log_(std::move(log)),
      directory_(std::move(directory)),
      store_(std::move(store)),
      workers_(pool_options(config), log_),
      run_job_(metrics_.counting(
          [this](worker::Job job, worker::Sink sink) { return workers_.run(std::move(job), std::move(sink)); })),
      reader_(run_job_, config.service.limits),
      objects_(*store_, service::kObjects, config.network, reader_),
      client_(config.network, std::string(kUserAgent), breaker_rules(config.deny_list)) {}

std::expected<std::unique_ptr<Backend>, std::string> Backend::open(const config::Config& config,
                                                                   const BackendOptions& options, Log log) {
  auto directory = cache_dir_of(config);
  if (!directory) return std::unexpected(std::move(directory.error()));
  store::StoreOptions store_options;
  store_options.quotas.limits = limits_of(config);
  auto store = store::Store::open(*directory, random_boot(), std::move(store_options));
  if (!store) return std::unexpected(std::move(store.error()));
  log(Severity::info, fmt::format("symcached {}, cache directory {}", SYMCACHED_VERSION, directory->string()));
  std::unique_ptr<Backend> backend(new Backend(config, std::move(*directory), std::move(*store), std::move(log)));
  auto sources = backend->open_sources(config);
  if (!sources) return std::unexpected(std::move(sources.error()));
  backend->service_.emplace(*backend->store_, std::move(*sources), backend->run_job_, backend->log_,
                            service_options(config, backend->directory_, options));
  const service::OpenSource open_source = [backend = backend.get()](const sources::SourceConfig& source) {
    return fetch::make_source(source, backend->objects_, backend->client_, backend->log_);
  };
  backend->source_files_.emplace(*backend->store_, text_limits(config.network), std::string(kUserAgent),
                                 config.service.retry, backend->log_);
  service::StackOptions stack_options = config.symbolication.stacks;
  stack_options.download_limit = std::chrono::milliseconds(config.network.total_ms);
  stack_options.source_files = &*backend->source_files_;
  backend->stacks_.emplace(*backend->service_, open_source, stack_options);
  const service::RequestTable::Answer answer = [stacks = &*backend->stacks_, rules = config.symbolication.sources](
                                                   service::RequestTable::Text text,
                                                   std::shared_ptr<service::RequestProgress> progress) {
    return api::answer_stacks(std::move(text), std::move(progress), {.stacks = stacks, .source_rules = rules});
  };
  const service::RequestTable::OnEnd on_end = [backend = backend.get(), slow = config.logging.slow_requests,
                                               log = options.request_log](const service::RequestEnd& end) {
    backend->metrics_.ended(end);
    if (const auto line = line_of(end, slow); line && log) log(line->severity, line->text, line->fields);
  };
  backend->requests_.emplace(*backend->store_, answer, config.symbolication.requests, backend->log_, on_end);
  backend->files_.emplace(backend->service_->originals(), backend->reader_, backend->service_->job_limits(), 0,
                          backend->log_);
  if (auto opened = backend->open_transcoding(config.symcache); !opened) return std::unexpected(opened.error());
  return backend;
}

std::expected<void, std::string> Backend::open_transcoding(const config::SymcacheConfig& config) {
  if (config.directory.empty()) {
    if (!config.remote.token.empty())
      return std::unexpected("symcache.remote.token: set symcache.directory, for what they make");
    if (config.transcoders.empty()) return {};
    return std::unexpected("symcache.transcoders: set symcache.directory, for what they make");
  }
  const TranscodingBase base{*store_, service_->originals(), reader_, client_};
  auto opened = Transcoding::open(config, service_->job_limits(), base, log_);
  if (!opened) return std::unexpected(std::move(opened.error()));
  transcoding_ = std::move(*opened);
  return {};
}

SymbolicationStats Backend::symbolication() const {
  return {requests_->stats(), stacks_->stats(), source_files_->stats()};
}

void Backend::stop() {
  if (requests_) requests_->drain();
  if (files_) files_->drain();
  if (service_) service_->drain();
  client_.stop();
  workers_.stop();
  if (transcoding_) transcoding_->stop();
  if (source_files_) source_files_->stop();
  if (requests_) requests_->stop();
  if (files_) files_->stop();
  if (service_) service_->stop();
}

}  // namespace symcached::app
