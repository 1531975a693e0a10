#pragma once
/// The program as a worker process of its server.
#include <string_view>

namespace symcached::app {

inline constexpr std::string_view kWorkerCommand = "worker";  ///< not for people, so not a subcommand with help

/// @return the exit status
int run_worker();

}  // namespace symcached::app
