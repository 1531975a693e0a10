#include "fetch/source.hpp"

#include <fmt/format.h>

#include "fetch/folder_source.hpp"
#include "fetch/http_source.hpp"

namespace symcached::fetch {

namespace {

constexpr std::size_t kMaxName = 1024;  ///< bytes; the name is part of the key of cache entries

std::unexpected<std::string> too_long() {
  return std::unexpected(fmt::format("symbols: path or URL longer than {} bytes", kMaxName));
}

}  // namespace

std::expected<std::unique_ptr<Source>, std::string> make_source(std::string_view path_or_url, ObjectCache& objects,
                                                                HttpClient& client) {
  if (path_or_url.find("://") != std::string_view::npos) {
    auto url = parse_base_url(path_or_url);
    if (!url) return std::unexpected(std::move(url.error()));
    if (url->shown.size() > kMaxName) return too_long();
    return std::make_unique<HttpSource>(std::move(*url), objects, client);
  }
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(path_or_url, error);
  if (error || !std::filesystem::is_directory(root, error))
    return std::unexpected(
        fmt::format("symbols \"{}\": not a directory; give a directory or an http:// or https:// URL", path_or_url));
  if (root.native().size() > kMaxName) return too_long();
  return std::make_unique<FolderSource>(root, objects);
}

}  // namespace symcached::fetch
