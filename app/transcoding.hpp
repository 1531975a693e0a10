#pragma once
/// What finds and makes Microsoft's symcaches, put together from the configuration: their directory, the transcoders,
/// the service over them, and where clients are sent.
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/symcache/microsoft.hpp"
#include "api/transcode/endpoint.hpp"
#include "app/metrics.hpp"
#include "config/config.hpp"
#include "fetch/http_client.hpp"
#include "fetch/s3_endpoint.hpp"
#include "net/log.hpp"
#include "service/wpt_service.hpp"
#include "transcode/directory.hpp"
#include "transcode/remote_transcoders.hpp"
#include "transcode/transcoder.hpp"

namespace symcached::app {

/// What it is built upon, which outlives it.
struct TranscodingBase {
  store::Store& store;
  service::Originals& originals;
  fetch::FileReader& reader;
  fetch::HttpClient& client;
};

class Transcoding {
 public:
  /// @return it, or what cannot be used, in one line that names the key
  static std::expected<std::unique_ptr<Transcoding>, std::string> open(const config::SymcacheConfig& config,
                                                                       const service::JobLimits& jobs,
                                                                       TranscodingBase base, const Log& log);
  ~Transcoding() { stop(); }

  service::WptService& service() { return *service_; }
  transcode::SymcacheDirectory& directory() { return *directory_; }
  /// Empty if files are sent from here.
  const api::Redirect& redirect() const { return redirect_; }
  /// What transcoders on other machines talk to; null: there are none.
  const api::WorkerDesk* workers() const { return workers_.get(); }
  TranscodingStats stats() const { return {service_->stats(), directory_->folders_read(), directory_->quarantined()}; }
  /// Ends the transcoders that run. Nothing is fetched for them any more.
  void stop();

 private:
  Transcoding() = default;
  std::expected<std::vector<service::Tool>, std::string> open_remote(const config::SymcacheConfig& config,
                                                                     std::size_t max_jobs, const Log& log);

  std::unique_ptr<transcode::SymcacheDirectory> directory_;
  std::vector<std::unique_ptr<transcode::Transcoder>> transcoders_;
  std::unique_ptr<transcode::RemoteTranscoders> remote_;
  std::unique_ptr<api::WorkerDesk> workers_;
  std::unique_ptr<fetch::S3Endpoint> bucket_;
  api::Redirect redirect_;
  std::unique_ptr<service::WptService> service_;
};

}  // namespace symcached::app
