#pragma once
/// How the program calls itself to servers. Some symbol servers answer only those who look like Microsoft's tools.
#include <string_view>

namespace symcached::app {

inline constexpr std::string_view kUserAgent = "Microsoft-Symbol-Server/10.1710.0.0 symcached/" SYMCACHED_VERSION;

}  // namespace symcached::app
