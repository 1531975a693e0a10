#pragma once
/// Where the folders on the waiting side send their log lines; `app/` decides what becomes of them.
#include <cstdint>
#include <functional>
#include <string>

namespace symcached {

enum class Severity : std::uint8_t { debug, info, warning, error };

/// Called from any thread. Lines hold no secrets: no credentials, no query strings of sources.
using Log = std::function<void(Severity, const std::string&)>;

}  // namespace symcached
