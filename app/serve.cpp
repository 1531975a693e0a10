#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "api/routes.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/log.hpp"
#include "app/open_sources.hpp"
#include "app/process.hpp"
#include "app/serve_options.hpp"
#include "app/shutdown.hpp"
#include "app/user_agent.hpp"
#include "app/worker.hpp"
#include "config/address.hpp"
#include "service/cache_versions.hpp"
#include "service/worker_reader.hpp"

namespace symcached::app {
namespace {

std::uint64_t random_boot() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

int could_not(const std::string& why) {
  complain("serve", why);
  return kCouldNot;
}

/// In the log, and on stdout for who started it and waits for the address.
void say_where(const std::string& host, std::uint16_t port, const Log& log) {
  const bool is_v6 = host.find(':') != std::string::npos;
  const std::string where = fmt::format("listening on http://{}:{}", is_v6 ? "[" + host + "]" : host, port);
  log(Severity::info, where);
  fmt::print("{}\n", where);
  std::fflush(stdout);
}

/// With the command that starts a worker.
worker::PoolOptions pool_options(const config::Config& config) {
  worker::PoolOptions options = config.workers;
  options.command = {"/proc/self/exe", std::string(kWorkerCommand)};
  return options;
}

service::ServiceOptions service_options(const config::Config& config, std::size_t max_files) {
  service::ServiceOptions options = config.service;
  options.max_active = jobs_for(max_files);
  return options;
}

int serve(const ServeOptions& options) {
  ignore_write_signals();
  const std::size_t max_files = raise_descriptor_limit();
  const config::Loaded loaded = load_config(options);
  for (const std::string& line : config::error_lines(loaded.report, options.config_file)) complain("serve", line);
  if (!loaded.report.errors().empty()) return kCouldNot;
  const config::Config& config = loaded.config;
  const ServerLog server_log(config.logging);
  const Log log = server_log.log();
  for (const std::string& line : config::warning_lines(loaded.report, options.config_file))
    log(Severity::warning, line);
  const std::filesystem::path cache_dir =
      config.cache_dir.empty() ? default_cache_dir() : std::filesystem::path(config.cache_dir);
  if (cache_dir.empty()) return could_not("neither XDG_CACHE_HOME nor HOME is set; give --cache-dir");
  auto store = store::Store::open(cache_dir, random_boot());
  if (!store) return could_not(store.error());
  log(Severity::info, fmt::format("symcached {}, cache directory {}", SYMCACHED_VERSION, cache_dir.string()));

  worker::Pool workers(pool_options(config), log);
  const service::RunJob run = [&workers](worker::Job job, worker::Sink sink) {
    return workers.run(std::move(job), std::move(sink));
  };
  service::WorkerReader reader(run, config.service.limits);
  fetch::ObjectCache objects(**store, service::kObjects, config.network, reader);
  fetch::HttpClient client(config.network, std::string(kUserAgent));
  auto sources = open_sources(options.symbols, config.sources, objects, client, log);
  if (!sources) return could_not(sources.error());
  service::SymcacheService service(**store, std::move(*sources), run, log, service_options(config, max_files));

  const config::Address address = *config::parse_address(config.bind);
  net::ServerOptions server_options = config.server;
  server_options.address = address.host;
  server_options.port = address.port;
  const auto handler = [&service](http::Request request) {
    return api::answer(std::move(request), service, api::ApiOptions{});
  };
  auto server = net::Server::start(server_options, handler, log);
  if (!server) return could_not(server.error());
  (*store)->remove_left_overs();
  const ShutdownWatch watch(**server, std::chrono::seconds(config.grace), [&service] { service.drain(); }, log);
  say_where(address.host, (*server)->port(), log);
  (*server)->join();
  client.stop();
  workers.stop();
  service.stop();
  const std::uint64_t cut = (*server)->stats().responses_cut;
  if (cut == 0) log(Severity::info, "shut down; all open responses were completed");
  else log(Severity::warning, fmt::format("shut down; responses cut off: {}", cut));
  return cut == 0 ? kDone : kCouldNot;
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("serve", "Serve symcaches of PDBs over HTTP");
  const auto options = std::make_shared<ServeOptions>();
  add_serve_options(*command, *options);
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace symcached::app
