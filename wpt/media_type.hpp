#pragma once
/// The media types of the SymCache protocol. Spec: docs/protocols/symcache-http.md, "The response".
#include <string>
#include <string_view>

#include "wpt/version.hpp"

namespace symcached::wpt {

inline constexpr std::string_view kMicrosoftType = "application/vnd.ms-symcache";
inline constexpr std::string_view kOpenType = "application/vnd.symcached.symcache";

/// "application/vnd.ms-symcache; version=3.1.0"
inline std::string media_type_of(std::string_view type, const Version& version) {
  constexpr std::size_t kLongestEnd = 48;
  std::string text;
  text.reserve(type.size() + kLongestEnd);
  return text.append(type).append("; version=").append(version.to_string());
}

}  // namespace symcached::wpt
