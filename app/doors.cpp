#include "app/doors.hpp"

#include "config/address.hpp"

namespace symcached::app {
namespace {

/// What no file needs to be read for.
std::string contradiction(const config::Config& config) {
  const auth::Options& a = config.auth;
  if (config.tls.certificate.empty() != config.tls.key.empty())
    return config.tls.key.empty() ? "tls.key: missing; tls.certificate is set"
                                  : "tls.certificate: missing; tls.key is set";
  if (!a.negotiate && !a.keytab.empty()) return "auth.keytab: of no use without auth.negotiate";
  if (!a.negotiate && a.ntlm) return "auth.ntlm: of no use without auth.negotiate";
  if (!a.on() && (!a.rules.empty() || a.hide))
    return "auth.rules and auth.hide: nobody can log in; set auth.tokens or auth.negotiate";
  return "";
}

bool has_tls(const config::Config& config) { return !config.tls.certificate.empty(); }

bool is_loopback(const std::string& bind) {
  const auto address = config::parse_address(bind);
  return address && (address->host.starts_with("127.") || address->host == "::1");
}

std::unexpected<std::string> below(std::string_view group, const std::string& why) {
  return std::unexpected(std::string(group) + why);
}

}  // namespace

std::expected<Doors, std::string> open_doors(const config::Config& config, const Log& log) {
  if (std::string why = contradiction(config); !why.empty()) return std::unexpected(std::move(why));
  Doors doors;
  if (has_tls(config)) {
    auto tls = net::Tls::open(config.tls);
    if (!tls) return below("tls.", tls.error());
    doors.tls = std::move(*tls);
  }
  auto gate = auth::Gate::open(config.auth, log);
  if (!gate) return below("auth.", gate.error());
  doors.gate = std::move(*gate);
  return doors;
}

std::expected<void, std::string> Doors::reload(const config::Config& config) const {
  if (std::string why = contradiction(config); !why.empty()) return std::unexpected(std::move(why));
  if (has_tls(config) != (tls != nullptr)) return std::unexpected("tls: can be switched on or off only by a restart");
  if (tls)  // before what cannot be taken back
    if (const auto readable = net::Tls::open(config.tls); !readable) return below("tls.", readable.error());
  if (const auto done = gate->reload(config.auth); !done) return below("auth.", done.error());
  if (tls)
    if (const auto done = tls->reload(config.tls); !done) return below("tls.", done.error());
  return {};
}

std::vector<std::string> warnings_about_doors(const config::Config& config) {
  std::vector<std::string> lines;
  if (has_tls(config) || is_loopback(config.bind)) return lines;
  const auto warn = [&](std::string_view key) {
    lines.push_back(std::string(key) +
                    ": without TLS everybody on the way can read it; set tls.certificate and tls.key");
  };
  if (!config.auth.tokens.empty()) warn("auth.tokens");
  if (!config.symcache.remote.token.empty()) warn("symcache.remote.token");
  return lines;
}

}  // namespace symcached::app
