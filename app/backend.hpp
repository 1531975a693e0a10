#pragma once
/// What finds and makes caches, put together: the cache directory, worker processes, sources, and the service over
/// them. `serve` puts HTTP before it, `cache warm` a list of modules.
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/log.hpp"
#include "app/metrics.hpp"
#include "app/open_sources.hpp"
#include "app/transcoding.hpp"
#include "config/config.hpp"
#include "fetch/http_client.hpp"
#include "fetch/object_cache.hpp"
#include "net/log.hpp"
#include "service/cache_service.hpp"
#include "service/file_service.hpp"
#include "service/request_table.hpp"
#include "service/stack_service.hpp"
#include "service/worker_reader.hpp"
#include "store/store.hpp"
#include "worker/pool.hpp"

namespace symcached::app {

struct BackendOptions {
  FieldLog request_log = {};     ///< of requests with stack traces; none: nobody sends any
  std::size_t max_files = 1024;  ///< descriptors of the process
  bool keeps_work = true;        ///< what waits to be made anew is kept in the cache directory, and done from there
};

class Backend {
 public:
  /// Opens the cache directory, which is created if missing, and the sources; starts the workers.
  /// @return the backend, or what cannot be used, in one line
  static std::expected<std::unique_ptr<Backend>, std::string> open(const config::Config& config,
                                                                   const BackendOptions& options, Log log);
  ~Backend() { stop(); }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  std::expected<Sources, std::string> open_sources(const config::Config& config) {
    return app::open_sources(config.sources, objects_, client_, metrics_, log_);
  }
  /// Ends what is under way and answers nobody any more.
  void stop();

  const std::filesystem::path& directory() const { return directory_; }
  store::Store& store() { return *store_; }
  Metrics& metrics() { return metrics_; }
  worker::Pool& workers() { return workers_; }
  fetch::HttpClient& client() { return client_; }
  service::CacheService& service() { return *service_; }
  service::StackService& stacks() { return *stacks_; }
  service::FileService& files() { return *files_; }
  service::RequestTable& requests() { return *requests_; }
  SymbolicationStats symbolication() const;
  /// Of Microsoft's symcaches; null: no directory for them is configured.
  Transcoding* transcoding() { return transcoding_.get(); }

 private:
  std::expected<void, std::string> open_transcoding(const config::SymcacheConfig& config);
  Backend(const config::Config& config, std::filesystem::path directory, std::unique_ptr<store::Store> store, Log log);

  // In the order in which they use each other.
  const Log log_;
  const std::filesystem::path directory_;
  const std::unique_ptr<store::Store> store_;
  Metrics metrics_;
  worker::Pool workers_;
  const service::RunJob run_job_;
  service::WorkerReader reader_;
  fetch::ObjectCache objects_;
  fetch::HttpClient client_;
  std::optional<service::CacheService> service_;
  std::optional<service::SourceFiles> source_files_;
  std::optional<service::StackService> stacks_;
  std::optional<service::RequestTable> requests_;
  std::optional<service::FileService> files_;
  std::unique_ptr<Transcoding> transcoding_;
};

}  // namespace symcached::app
