#include "api/prefixes.hpp"

#include <algorithm>

#include "net/http.hpp"

namespace symcached::api {

using Segments = std::vector<std::string>;

Prefixes::Prefixes(const std::vector<std::string>& paths) : first_(paths.empty() ? std::string() : paths.front()) {
  for (const std::string& path : paths)
    if (auto segments = http::path_segments(path)) all_.push_back(std::move(*segments));
}

std::optional<Segments> Prefixes::segments_behind(std::string_view target) const {
  auto path = http::path_segments(target);
  if (!path) return path;
  const auto found = std::ranges::find_if(all_, [&](const Segments& prefix) {
    return prefix.size() < path->size() && std::equal(prefix.begin(), prefix.end(), path->begin(), http::same_name);
  });
  if (found != all_.end()) path->erase(path->begin(), path->begin() + static_cast<std::ptrdiff_t>(found->size()));
  return path;
}

}  // namespace symcached::api
