#pragma once
/// How clients get in: TLS, and who they are.
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "auth/gate.hpp"
#include "config/config.hpp"
#include "net/tls.hpp"

namespace symcached::app {

struct Doors {
  std::shared_ptr<net::Tls> tls;  ///< null: plain HTTP
  std::unique_ptr<auth::Gate> gate;

  /// Reads certificate, key and keytab again, too. With an error all stays as it is; TLS and logging in cannot be
  /// switched on or off.
  std::expected<void, std::string> reload(const config::Config& config) const;
};

/// @return or what is wrong, with the key of the configuration
std::expected<Doors, std::string> open_doors(const config::Config& config, const Log& log);

/// What works and may not be meant.
std::vector<std::string> warnings_about_doors(const config::Config& config);

}  // namespace symcached::app
