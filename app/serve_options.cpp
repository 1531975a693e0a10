#include "app/serve_options.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "api/symcache/version.hpp"

namespace symcached::app {
namespace {

std::string check_bind(const std::string& text) {
  return parse_bind(text) ? "" : fmt::format("\"{}\" is not ADDRESS:PORT, as 127.0.0.1:3021 or [::1]:3021 are", text);
}

void add_number(CLI::App& command, const std::string& name, auto& value, const std::string& help) {
  command.add_option(name, value, help)->type_name("NUMBER")->capture_default_str()->group("Limits");
}

void add_client_limits(CLI::App& command, ServeOptions& options) {
  add_number(command, "--max-connections", options.server.max_connections,
             "connections at once; 0: as many as the limit of open files allows");
  add_number(command, "--max-connections-per-address", options.server.max_connections_per_address,
             "connections at once from one client address; 0: half of --max-connections");
  add_number(command, "--max-in-flight", options.server.max_in_flight,
             "requests being answered at once; 0: three quarters of --max-connections");
  add_number(command, "--max-held", options.service.max_held, "requests that wait for a conversion at once");
  add_number(command, "--max-queued", options.service.max_jobs, "files being fetched or converted, or queued for it");
  add_number(command, "--grace", options.grace,
             "seconds that open responses have to complete after SIGTERM or SIGINT, before they are cut");
}

void add_worker_limits(CLI::App& command, ServeOptions& options) {
  add_number(command, "--workers", options.workers.processes,
             "worker processes that read debug files; 0: one per processor");
  command.get_option("--workers")->check(CLI::Range(0, 256));
  add_number(command, "--worker-jobs", options.workers.jobs_per_process, "files a worker reads before it is replaced");
  add_number(command, "--worker-memory", options.service.limits.memory_base_mib,
             "MiB of address space for one conversion, and 8 bytes more for each byte of its file");
  add_number(command, "--worker-seconds", options.service.limits.seconds_base,
             "seconds of processor time for one conversion, and one more for each 2 MiB of its file");
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
  command.add_option("--bind", options.bind, "ADDRESS:PORT to listen on; port 0 takes any free one")
      ->capture_default_str()
      ->check(CLI::Validator(check_bind, "ADDR:PORT"));
  command.add_option("--cache-dir", options.cache_dir,
                     "directory of the cache [$XDG_CACHE_HOME/symcached, or ~/.cache/symcached]");
  command.add_option("--symbols", options.symbols, "directory or http(s) symbol server to take PDBs from; repeatable");
  command.add_flag("--private-redirects", options.fetch.private_redirects,
                   "follow redirects of symbol servers to other private addresses");
  add_client_limits(command, options);
  add_worker_limits(command, options);
  command.footer(
      "Exit status: 0 all responses were completed, 1 could not start or responses were cut, 2 wrong usage.");
}

}  // namespace symcached::app
