#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "api/routes.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/log.hpp"
#include "app/open_sources.hpp"
#include "app/process.hpp"
#include "app/reload.hpp"
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
void say_where(std::string_view what, const std::string& host, std::uint16_t port, const Log& log) {
  const bool is_v6 = host.find(':') != std::string::npos;
  const std::string where = fmt::format("{} on http://{}:{}", what, is_v6 ? "[" + host + "]" : host, port);
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

net::ServerOptions server_options(const config::Config& config) {
  const config::Address address = *config::parse_address(config.bind);
  net::ServerOptions options = config.server;
  options.address = address.host;
  options.port = address.port;
  return options;
}

int tell_end(std::uint64_t cut, const Log& log) {
  if (cut == 0) log(Severity::info, "shut down; all open responses were completed");
  else log(Severity::warning, fmt::format("shut down; responses cut off: {}", cut));
  return cut == 0 ? kDone : kCouldNot;
}

/// Until a signal ends it.
int run(const ServeOptions& options, const config::Config& config, store::Store& store, ServerLog& server_log,
        std::size_t max_files) {
  const Log log = server_log.log();
  worker::Pool workers(pool_options(config), log);
  const service::RunJob run_job = [&workers](worker::Job job, worker::Sink sink) {
    return workers.run(std::move(job), std::move(sink));
  };
  service::WorkerReader reader(run_job, config.service.limits);
  fetch::ObjectCache objects(store, service::kObjects, config.network, reader);
  fetch::HttpClient client(config.network, std::string(kUserAgent));
  const auto open = [&](const config::Config& c) {
    return open_sources(options.symbols, c.sources, objects, client, log);
  };
  auto sources = open(config);
  if (!sources) return could_not(sources.error());
  service::SymcacheService service(store, std::move(*sources), run_job, log, service_options(config, max_files));

  const auto handler = [&service](http::Request request) {
    return api::answer(std::move(request), service, api::ApiOptions{});
  };
  auto server = net::Server::start(server_options(config), handler, log);
  if (!server) return could_not(server.error());
  store.remove_left_overs();
  const auto apply = [&](const config::Config& c, Sources s) {
    service.use(std::move(s), c.service.retry);
    server_log.set_level(c.logging.level);
  };
  Reloader reloader(options, config, {open, apply}, log);
  const ShutdownWatch watch(**server, std::chrono::seconds(config.grace),
                            {[&service] { service.drain(); }, [&reloader] { reloader.reload(); }}, log);
  say_where("listening", (*server)->options().address, (*server)->port(), log);
  (*server)->join();
  client.stop();
  workers.stop();
  service.stop();
  return tell_end((*server)->stats().responses_cut, log);
}

int serve(const ServeOptions& options) {
  ignore_write_signals();
  const std::size_t max_files = raise_descriptor_limit();
  const config::Loaded loaded = load_config(options);
  for (const std::string& line : config::error_lines(loaded.report, options.config_file)) complain("serve", line);
  if (!loaded.report.errors().empty()) return kCouldNot;
  const config::Config& config = loaded.config;
  ServerLog server_log(config.logging);
  const Log log = server_log.log();
  for (const std::string& line : config::warning_lines(loaded.report, options.config_file))
    log(Severity::warning, line);
  const std::filesystem::path cache_dir =
      config.cache_dir.empty() ? default_cache_dir() : std::filesystem::path(config.cache_dir);
  if (cache_dir.empty()) return could_not("neither XDG_CACHE_HOME nor HOME is set; give --cache-dir");
  auto store = store::Store::open(cache_dir, random_boot());
  if (!store) return could_not(store.error());
  log(Severity::info, fmt::format("symcached {}, cache directory {}", SYMCACHED_VERSION, cache_dir.string()));
  return run(options, config, **store, server_log, max_files);
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("serve", "Serve symcaches of PDBs over HTTP");
  const auto options = std::make_shared<ServeOptions>();
  add_serve_options(*command, *options);
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace symcached::app
