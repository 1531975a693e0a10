#pragma once
/// A container of Azure Blob Storage. Spec: "Authorize with Shared Key (REST API)", for versions from 2015-02-21 on.
#include <vector>

#include "base/bytes.hpp"
#include "fetch/endpoint.hpp"
#include "sources/source_config.hpp"

namespace symcached::fetch {

/// What a Shared Key signature is made of, for requests without a body.
/// @param url      as it is asked: its query takes part
/// @param headers  all of the request: Range and those that begin with x-ms- take part
std::string azure_string_to_sign(const std::string& account, const std::string& method, const std::string& url,
                                 const http::Headers& headers);

class AzureEndpoint : public Endpoint {
 public:
  using Clock = std::chrono::system_clock;

  explicit AzureEndpoint(const sources::AzurePlace& place, std::function<Clock::time_point()> now = Clock::now);

  const std::string& shown() const override { return shown_; }
  Task<std::expected<HttpRequest, std::string>> request(Method method, std::string path) override;
  std::uint64_t credentials() const override { return fingerprint_; }

 private:
  const std::string account_, prefix_;
  const std::string sas_;                            ///< without '?'
  const std::optional<std::vector<std::byte>> key_;  ///< nothing: what is configured is not base64
  const std::string base_;                           ///< URL of the container
  const std::string shown_;                          ///< with the prefix
  const std::uint64_t fingerprint_;
  const std::function<Clock::time_point()> now_;
};

}  // namespace symcached::fetch
