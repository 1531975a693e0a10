#pragma once
/// Keys for S3: fixed ones, or temporary ones that the machine it runs on gives out.
/// Specs: Amazon ECS "Task IAM role"; Amazon EC2 "Retrieve security credentials from instance metadata", IMDSv2.
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "fetch/http_client.hpp"
#include "fetch/renewed.hpp"
#include "fetch/sigv4.hpp"
#include "sources/source_config.hpp"

namespace symcached::fetch {

/// Where temporary keys are asked for. These addresses are of this machine or its link, and the only private ones that
/// are asked without the operator's word.
struct AwsMetadata {
  std::string container_url = {};         ///< empty: it runs in no such container
  std::string container_token = {};       ///< value of Authorization; empty: none
  std::string container_token_file = {};  ///< where the token is instead, read each time
  std::string instance_url = "http://169.254.169.254";

  /// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, …_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN, …_TOKEN_FILE,
  /// AWS_EC2_METADATA_SERVICE_ENDPOINT.
  static AwsMetadata from_environment();
};

/// Whether a container's keys may be asked for there: https, this machine, or the addresses that Amazon names.
bool is_metadata_url(const std::string& url);

/// Outlives every task. Safe to use from any thread.
class AwsCredentials {
 public:
  AwsCredentials(const sources::S3Place& place, HttpClient& client, AwsMetadata metadata,
                 std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now);

  /// Keys that are good for five minutes more, or why there are none. Without an access key: ask unsigned.
  Task<std::expected<AwsKeys, std::string>> get();
  std::uint64_t fingerprint() const;  ///< 0: none

 private:
  using Fresh = Renewed<AwsKeys>::Fresh;
  Task<std::expected<Fresh, std::string>> ask_container();
  Task<std::expected<Fresh, std::string>> ask_instance();

  const AwsKeys fixed_;
  const bool is_fixed_;
  HttpClient& client_;
  const AwsMetadata metadata_;
  const std::function<std::chrono::system_clock::time_point()> now_;
  Renewed<AwsKeys> temporary_;
};

}  // namespace symcached::fetch
