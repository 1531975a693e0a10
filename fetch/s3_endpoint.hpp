#pragma once
/// A bucket of Amazon S3, or of a server that speaks its protocol. Spec: Amazon S3 API reference.
#include "fetch/aws_credentials.hpp"
#include "fetch/endpoint.hpp"
#include "sources/source_config.hpp"

namespace symcached::fetch {

class S3Endpoint : public Endpoint {
 public:
  using Clock = std::chrono::system_clock;

  /// @param client  asked for temporary keys; outlives it
  S3Endpoint(const sources::S3Place& place, HttpClient& client, AwsMetadata metadata = AwsMetadata::from_environment(),
             std::function<Clock::time_point()> now = Clock::now);

  const std::string& shown() const override { return shown_; }
  Task<std::expected<HttpRequest, std::string>> request(Method method, std::string path) override;
  std::uint64_t credentials() const override { return credentials_.fingerprint(); }

  /// A URL for what lies at `path`, to be given to a client without credentials.
  /// @param media_type  that it is sent with, whatever it is stored with
  /// @return or why there is none: credentials that cannot be had
  Task<std::expected<std::string, std::string>> presigned(std::string path, std::string media_type,
                                                          std::chrono::seconds expires);

 private:
  const std::string region_, prefix_;
  const std::string base_;   ///< URL of the bucket, without a slash at the end
  const std::string host_;   ///< value of the Host header
  const std::string shown_;  ///< with the prefix
  const std::function<Clock::time_point()> now_;
  AwsCredentials credentials_;
};

}  // namespace symcached::fetch
