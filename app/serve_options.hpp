#pragma once
/// What `symcached serve` takes on the command line.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fetch/limits.hpp"
#include "net/http_server.hpp"
#include "service/cache_service.hpp"
#include "worker/pool.hpp"

namespace symcached::app {

struct ServeOptions {
  std::string bind = "127.0.0.1:3021";
  std::string cache_dir;
  std::vector<std::string> symbols;
  net::ServerOptions server;  ///< but for the address
  unsigned grace = 30;        ///< seconds
  worker::PoolOptions workers;
  service::ServiceOptions service;
  fetch::Limits fetch;
};

/// Adds all of them, with help and checks. `options` outlives the parsing.
void add_serve_options(CLI::App& command, ServeOptions& options);

struct Address {
  std::string host;
  std::uint16_t port;
};

/// "127.0.0.1:3021", "localhost:3021" or "[::1]:3021".
std::optional<Address> parse_bind(std::string_view text);

/// $XDG_CACHE_HOME/symcached, or ~/.cache/symcached; empty if neither variable is set.
std::filesystem::path default_cache_dir();

}  // namespace symcached::app
