#include "fetch/bucket_path.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "net/http.hpp"

namespace symcached::fetch {

std::expected<std::string, std::string> key_path(std::string_view prefix, std::string_view path) {
  while (prefix.starts_with('/')) prefix.remove_prefix(1);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  std::string all = fmt::format("/{}{}{}", prefix, prefix.empty() || path.empty() ? "" : "/", path);
  const std::string framed = all + "/";
  for (const std::string_view dots : {"/./", "/../"})
    if (framed.find(dots) != std::string::npos)
      return std::unexpected(fmt::format("\"{}\": a segment of dots cannot be asked for", path));
  return http::percent_encode_path(all);
}

std::string endpoint_url(std::string_view given, std::string standard) {
  while (given.ends_with('/')) given.remove_suffix(1);
  if (given.empty()) return standard;
  const std::size_t scheme = given.find("://");
  if (scheme == std::string_view::npos) return "https://" + lower_ascii(given);
  const std::size_t path = given.find('/', scheme + 3);
  const std::string tail(path == std::string_view::npos ? std::string_view() : given.substr(path));
  return lower_ascii(given.substr(0, path)) + tail;
}

}  // namespace symcached::fetch
