#pragma once
/// A bucket of Google Cloud Storage, through its XML API. Specs: "Cloud Storage XML API overview", "Using OAuth 2.0 for
/// server to server applications".
#include "fetch/endpoint.hpp"
#include "fetch/http_client.hpp"
#include "fetch/renewed.hpp"
#include "sources/source_config.hpp"

namespace symcached::fetch {

/// The signed claim that a service account exchanges for a token that may read, good for an hour.
/// @return the JSON Web Token, or what is wrong with the key
std::expected<std::string, std::string> token_claim(const std::string& client_email, const std::string& private_key,
                                                    const std::string& token_uri, std::chrono::sys_seconds now);

class GcsEndpoint : public Endpoint {
 public:
  using Clock = std::chrono::system_clock;

  /// @param client  asked for tokens; outlives it
  GcsEndpoint(const sources::GcsPlace& place, HttpClient& client, std::function<Clock::time_point()> now = Clock::now);

  const std::string& shown() const override { return shown_; }
  Task<std::expected<HttpRequest, std::string>> request(Method method, std::string path) override;
  std::uint64_t credentials() const override { return fingerprint_; }

 private:
  Task<std::expected<Renewed<std::string>::Fresh, std::string>> ask_token();

  const sources::GcsPlace place_;
  const std::string base_;   ///< URL of the bucket
  const std::string shown_;  ///< with the prefix
  const std::string token_uri_;
  const std::uint64_t fingerprint_;
  const std::function<Clock::time_point()> now_;
  HttpClient& client_;
  Renewed<std::string> token_;
};

}  // namespace symcached::fetch
