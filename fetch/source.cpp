#include "fetch/source.hpp"

#include <fmt/format.h>

#include "base/overloaded.hpp"
#include "fetch/azure_endpoint.hpp"
#include "fetch/folder_source.hpp"
#include "fetch/gcs_endpoint.hpp"
#include "fetch/http_source.hpp"
#include "fetch/plain_endpoint.hpp"
#include "fetch/s3_endpoint.hpp"

namespace symcached::fetch {
namespace {

constexpr std::size_t kMaxName = 1024;  ///< bytes

using Made = std::expected<std::unique_ptr<Source>, std::string>;

Made too_long() { return std::unexpected(fmt::format("symbols: path or URL longer than {} bytes", kMaxName)); }

Made make_folder(const sources::SourceConfig& config, const std::string& path, ObjectCache& objects, Log log) {
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(path, error);
  if (error || !std::filesystem::is_directory(root, error))
    return std::unexpected(
        fmt::format("symbols \"{}\": not a directory; give a directory or an http:// or https:// URL", path));
  if (root.native().size() > kMaxName) return too_long();
  return std::make_unique<FolderSource>(config, root, objects, std::move(log));
}

Made make_server(const sources::SourceConfig& config, std::unique_ptr<Endpoint> endpoint, ObjectCache& objects,
                 HttpClient& client, Log log) {
  if (endpoint->shown().size() > kMaxName) return too_long();
  if (config.layout == sources::Layout::loose)
    return std::unexpected(fmt::format("source {}: layout loose is for folders", endpoint->shown()));
  return std::make_unique<HttpSource>(config, std::move(endpoint), objects, client, std::move(log));
}

}  // namespace

sources::SourceConfig config_of(std::string_view path_or_url) {
  sources::SourceConfig config;
  config.is_public = true;
  if (path_or_url.find("://") == std::string_view::npos) {
    config.id = path_or_url;
    config.location = sources::FolderPlace{std::string(path_or_url)};
    return config;
  }
  if (auto url = parse_base_url(path_or_url)) config.id = std::move(url->shown);
  config.location = sources::HttpPlace{.url = std::string(path_or_url)};
  return config;
}

Made make_source(const sources::SourceConfig& config, ObjectCache& objects, HttpClient& client, Log log) {
  const auto ask = [&](std::unique_ptr<Endpoint> endpoint) {
    return make_server(config, std::move(endpoint), objects, client, log);
  };
  return std::visit(
      overloaded{[&](const sources::FolderPlace& folder) { return make_folder(config, folder.path, objects, log); },
                 [&](const sources::HttpPlace& server) {
                   auto endpoint = PlainEndpoint::open(server);
                   return endpoint ? ask(std::move(*endpoint)) : Made(std::unexpected(std::move(endpoint.error())));
                 },
                 [&](const sources::S3Place& place) { return ask(std::make_unique<S3Endpoint>(place, client)); },
                 [&](const sources::GcsPlace& place) { return ask(std::make_unique<GcsEndpoint>(place, client)); },
                 [&](const sources::AzurePlace& place) { return ask(std::make_unique<AzureEndpoint>(place)); }},
      config.location);
}

Made make_source(std::string_view path_or_url, ObjectCache& objects, HttpClient& client) {
  return make_source(config_of(path_or_url), objects, client);
}

}  // namespace symcached::fetch
