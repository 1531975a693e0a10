#include "service/allowed_origins.hpp"

#include <algorithm>
#include <string>

#include "base/ascii.hpp"
#include "fetch/redirect.hpp"

namespace symcached::service {
namespace {

bool allows(std::string_view pattern, const fetch::Target& target) {
  if (pattern == "*") return true;
  if (const std::size_t mark = pattern.find("://"); mark != pattern.npos) {
    const std::string_view scheme = pattern.substr(0, mark);
    if (scheme != "*" && scheme != target.scheme) return false;
    pattern.remove_prefix(mark + 3);
  }
  if (const std::size_t colon = pattern.rfind(':'); colon != pattern.npos && !pattern.ends_with(']')) {
    if (const std::string_view port = pattern.substr(colon + 1); port != "*" && port != target.port) return false;
    pattern = pattern.substr(0, colon);
  }
  if (!pattern.starts_with("*.")) return !pattern.empty() && pattern == target.host;
  pattern.remove_prefix(1);
  return pattern.size() > 1 && target.host.size() > pattern.size() && target.host.ends_with(pattern);
}

}  // namespace

bool is_allowed_origin(std::string_view url, std::span<const std::string_view> allowed) {
  const auto target = fetch::parse_target(url);
  return target &&
         std::ranges::any_of(allowed, [&](std::string_view pattern) { return allows(lower_ascii(pattern), *target); });
}

}  // namespace symcached::service
