#include "app/serve_options.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <cstdlib>
#include <limits>

#include "api/symcache/version.hpp"
#include "app/command_line.hpp"

namespace symcached::app {
namespace {

constexpr const char* kFooter = R"(Answers GET /open/v2.0.0/NAME/GUID/AGE with the symcache of a PDB, converted on
the first request and then cached; GET / explains more. No TLS and no
authentication: keep it on a trusted network. SIGTERM and SIGINT complete open
responses, then end it.

Examples:
  symcached serve --symbols /srv/symbols
  symcached serve --bind 0.0.0.0:3021 --cache-dir /var/cache/symcached \
      --symbols https://msdl.microsoft.com/download/symbols

Exit status:
  0  ended by a signal, all responses completed
  1  cannot start, or responses were cut off
  2  wrong usage

Environment:
  XDG_CACHE_HOME, HOME  default of --cache-dir
  http_proxy, https_proxy, all_proxy, no_proxy
                        proxies for symbol servers)";

bool is_numeric(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  return ::inet_pton(AF_INET, host.c_str(), &v4) == 1 || ::inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

std::string check_bind(const std::string& text) {
  const auto address = parse_bind(text);
  if (!address) return fmt::format("\"{}\": use ADDRESS:PORT, such as 127.0.0.1:3021 or [::1]:3021", text);
  if (!is_numeric(address->host))
    return fmt::format("\"{}\": use a numeric address, such as 127.0.0.1:3021 or [::1]:3021", text);
  return {};
}

template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value, const std::string& help) {
  return command.add_option(name, value, help)
      ->type_name("N")
      ->check(number_from(0, std::numeric_limits<Number>::max()))
      ->capture_default_str()
      ->group("Limits");
}

void add_client_limits(CLI::App& command, ServeOptions& options) {
  add_number(command, "--max-connections", options.server.max_connections,
             "connections at once; 0: as many as the open-file limit allows");
  add_number(command, "--max-connections-per-address", options.server.max_connections_per_address,
             "connections at once from one client address; 0: half of --max-connections");
  add_number(command, "--max-in-flight", options.server.max_in_flight,
             "requests being answered at once; 0: three quarters of --max-connections");
  add_number(command, "--max-held", options.service.max_held, "requests waiting for a conversion at once");
  add_number(command, "--max-queued", options.service.max_jobs, "files being fetched or converted, or queued for it");
  add_number(command, "--grace", options.grace,
             "seconds for open responses to complete after SIGTERM or SIGINT before they are cut off");
}

void add_worker_limits(CLI::App& command, ServeOptions& options) {
  add_number(command, "--workers", options.workers.processes,
             "worker processes that read debug files, up to 256; 0: one per CPU")
      ->check(number_from(0, 256));
  add_number(command, "--worker-jobs", options.workers.jobs_per_process,
             "files a worker process reads before it is replaced");
  add_number(command, "--worker-memory", options.service.limits.memory_base_mib,
             "MiB of address space for a conversion, plus 8 bytes per byte of its file");
  add_number(command, "--worker-seconds", options.service.limits.seconds_base,
             "seconds of CPU time for a conversion, plus one per 2 MiB of its file");
}

}  // namespace

std::optional<Address> parse_bind(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const auto port = api::parse_decimal(text.substr(colon + 1));
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty() || !port || *port > 0xffff || (!in_brackets && host.find(':') != std::string_view::npos))
    return std::nullopt;
  if (host == "localhost") host = "127.0.0.1";
  return Address{std::string(host), static_cast<std::uint16_t>(*port)};
}

std::filesystem::path default_cache_dir() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (const auto base = variable("XDG_CACHE_HOME"); base.is_absolute()) return base / "symcached";
  if (const auto home = variable("HOME"); !home.empty()) return home / ".cache" / "symcached";
  return {};
}

void add_serve_options(CLI::App& command, ServeOptions& options) {
  command.add_option("--bind", options.bind, "address to listen on; port 0 takes any free one")
      ->type_name("ADDRESS:PORT")
      ->capture_default_str()
      ->check(CLI::Validator(check_bind, ""));
  command
      .add_option("--cache-dir", options.cache_dir,
                  "cache directory, created if missing [default: $XDG_CACHE_HOME/symcached, or ~/.cache/symcached]")
      ->type_name("DIR");
  command
      .add_option(
          "--symbols", options.symbols,
          "where PDBs come from: a directory laid out as a symbol store, or the http(s) URL of a symbol server; "
          "repeatable, asked in this order")
      ->type_name("DIR|URL")
      ->check(directory_or_url())
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_flag("--private-redirects", options.fetch.private_redirects,
                   "follow redirects of symbol servers to other private addresses");
  add_client_limits(command, options);
  add_worker_limits(command, options);
  command.footer(kFooter);
}

}  // namespace symcached::app
