#pragma once
/// An ordinary http(s) server: a URL, and what it wants to be sent with each request.
#include <memory>
#include <string_view>

#include "fetch/endpoint.hpp"
#include "sources/source_config.hpp"

namespace symcached::fetch {

struct BaseUrl {
  std::string full;   ///< as to be asked, without a slash at the end; may hold credentials
  std::string shown;  ///< the same without them
};

/// @return the URL in its parts, or what is wrong with it; http and https only, no query, no fragment
std::expected<BaseUrl, std::string> parse_base_url(std::string_view text);

class PlainEndpoint : public Endpoint {
 public:
  /// @return the endpoint, or what is wrong with the URL or a header, without any secret
  static std::expected<std::unique_ptr<PlainEndpoint>, std::string> open(const sources::HttpPlace& place);

  const std::string& shown() const override { return url_.shown; }
  Task<std::expected<HttpRequest, std::string>> request(Method method, std::string path) override;
  std::uint64_t credentials() const override { return credentials_; }

 private:
  PlainEndpoint(BaseUrl url, http::Headers headers, Negotiate negotiate, std::uint64_t credentials)
      : url_(std::move(url)), headers_(std::move(headers)), negotiate_(negotiate), credentials_(credentials) {}

  const BaseUrl url_;
  const http::Headers headers_;
  const Negotiate negotiate_;
  const std::uint64_t credentials_;
};

}  // namespace symcached::fetch
