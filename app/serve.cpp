#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "api/routes.hpp"
#include "api/version.hpp"
#include "app/commands.hpp"
#include "app/process.hpp"
#include "app/shutdown.hpp"
#include "app/user_agent.hpp"
#include "fetch/source.hpp"
#include "net/http_server.hpp"
#include "service/cache_versions.hpp"
#include "service/symcache_service.hpp"

namespace symcached::app {
namespace {

struct ServeOptions {
  std::string bind = "127.0.0.1:3021";
  std::string cache_dir;
  std::vector<std::string> symbols;
  net::ServerOptions server;  ///< but for the address
  unsigned grace = 30;        ///< seconds
};

struct Address {
  std::string host;
  std::uint16_t port;
};

/// "127.0.0.1:3021", "localhost:3021" or "[::1]:3021".
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

std::string check_bind(const std::string& text) {
  return parse_bind(text) ? "" : fmt::format("\"{}\" is not ADDRESS:PORT, as 127.0.0.1:3021 or [::1]:3021 are", text);
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

Log make_log() {
  const auto logger = spdlog::stderr_logger_mt("symcached");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  logger->flush_on(spdlog::level::info);
  return [logger](Severity severity, const std::string& line) {
    constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    logger->log(kLevels[static_cast<std::size_t>(severity)], spdlog::string_view_t(line));
  };
}

std::uint64_t random_boot() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

int could_not(const std::string& why) {
  fmt::print(stderr, "symcached serve: {}\n", why);
  return kCouldNot;
}

int serve(const ServeOptions& options) {
  ignore_sigpipe();
  raise_descriptor_limit();
  const Log log = make_log();
  const std::filesystem::path cache_dir =
      options.cache_dir.empty() ? default_cache_dir() : std::filesystem::path(options.cache_dir);
  if (cache_dir.empty()) return could_not("neither XDG_CACHE_HOME nor HOME is set; give --cache-dir");
  auto store = store::Store::open(cache_dir, random_boot());
  if (!store) return could_not(store.error());

  const fetch::Limits limits;
  fetch::ObjectCache objects(**store, service::kObjects, limits);
  fetch::HttpClient client(limits, std::string(kUserAgent));
  std::vector<std::unique_ptr<fetch::Source>> sources;
  for (const std::string& text : options.symbols) {
    auto source = fetch::make_source(text, objects, client);
    if (!source) return could_not(source.error());
    log(Severity::info, fmt::format("symbols: {}", (*source)->name()));
    sources.push_back(std::move(*source));
  }
  if (sources.empty()) log(Severity::warning, "no --symbols given: only what the cache holds is served");
  service::SymcacheService service(**store, std::move(sources), service::derive_symcache, log);

  const Address address = *parse_bind(options.bind);
  const auto handler = [&service](http::Request request) {
    return api::answer(std::move(request), service, api::ApiOptions{});
  };
  net::ServerOptions server_options = options.server;
  server_options.address = address.host;
  server_options.port = address.port;
  auto server = net::Server::start(server_options, handler, log);
  if (!server) return could_not(server.error());
  const ShutdownWatch watch(**server, std::chrono::seconds(options.grace), [&service] { service.drain(); }, log);
  const bool is_v6 = address.host.find(':') != std::string::npos;
  fmt::print("listening on http://{}:{}\n", is_v6 ? "[" + address.host + "]" : address.host, (*server)->port());
  std::fflush(stdout);
  (*server)->join();
  client.stop();
  service.stop();
  const std::uint64_t cut = (*server)->stats().responses_cut;
  if (cut == 0) log(Severity::info, "shut down; all open responses were completed");
  else log(Severity::warning, fmt::format("shut down; responses cut: {}", cut));
  return cut == 0 ? kDone : kCouldNot;
}

void add_limits(CLI::App& command, ServeOptions& options) {
  command.add_option("--max-connections", options.server.max_connections,
                     "connections at once; 0: as many as the limit of open files allows");
  command.add_option("--max-connections-per-address", options.server.max_connections_per_address,
                     "connections at once from one client address; 0: half of --max-connections");
  command.add_option("--max-in-flight", options.server.max_in_flight,
                     "requests being answered at once; 0: three quarters of --max-connections");
  command.add_option("--grace", options.grace,
                     "seconds that open responses have to complete after SIGTERM or SIGINT, before they are cut");
  for (const char* name : {"--max-connections", "--max-connections-per-address", "--max-in-flight", "--grace"})
    command.get_option(name)->type_name("NUMBER")->capture_default_str();
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("serve", "answer requests for symcaches over HTTP");
  const auto options = std::make_shared<ServeOptions>();
  command->add_option("--bind", options->bind, "ADDRESS:PORT to listen on; port 0 takes any free one")
      ->capture_default_str()
      ->check(CLI::Validator(check_bind, "ADDR:PORT"));
  command->add_option("--cache-dir", options->cache_dir, "folder of the cache [$XDG_CACHE_HOME/symcached]");
  command->add_option("--symbols", options->symbols,
                      "folder or http(s) symbol server to take PDBs from; may be repeated");
  add_limits(*command, *options);
  command->footer(
      "Exit status: 0 all responses were completed, 1 could not start or responses were cut, 2 wrong usage.");
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace symcached::app
