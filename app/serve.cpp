#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <random>

#include "api/admin/endpoint.hpp"
#include "api/routes.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/log.hpp"
#include "app/metrics.hpp"
#include "app/open_sources.hpp"
#include "app/process.hpp"
#include "app/reload.hpp"
#include "app/serve_options.hpp"
#include "app/shutdown.hpp"
#include "app/user_agent.hpp"
#include "app/worker.hpp"
#include "config/address.hpp"
#include "service/cache_versions.hpp"
#include "service/worker_ids.hpp"
#include "service/worker_reader.hpp"
#include "store/maintenance.hpp"
#include "store/work_list.hpp"

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

service::ServiceOptions service_options(const config::Config& config, const std::filesystem::path& cache_dir,
                                        std::size_t max_files) {
  service::ServiceOptions options = config.service;
  options.refresh_list = cache_dir / store::kRefreshList;
  options.max_active = jobs_for(max_files);
  return options;
}

net::ServerOptions listening_at(const std::string& bind, net::ServerOptions options) {
  const config::Address address = *config::parse_address(bind);
  options.address = address.host;
  options.port = address.port;
  return options;
}

/// For a few clients that scrape.
net::ServerOptions admin_options() {
  net::ServerOptions options;
  options.threads = 1;
  options.max_connections = options.max_connections_per_address = options.max_in_flight = 32;
  return options;
}

/// @return nothing if `bind` is empty, or why it cannot listen
std::expected<std::unique_ptr<net::Server>, std::string> start_admin(const std::string& bind, api::AdminOptions options,
                                                                     const Log& log) {
  if (bind.empty()) return nullptr;
  const auto handler = [options](http::Request request) { return api::answer_admin(std::move(request), options); };
  return net::Server::start(listening_at(bind, admin_options()), handler, log);
}

int tell_end(std::uint64_t cut, const Log& log) {
  if (cut == 0) log(Severity::info, "shut down; all open responses were completed");
  else log(Severity::warning, fmt::format("shut down; responses cut off: {}", cut));
  return cut == 0 ? kDone : kCouldNot;
}

struct Cache {
  const std::filesystem::path& directory;
  store::Store& store;
};

/// Until a signal ends it.
int run(const ServeOptions& options, const config::Config& config, const Cache& cache, ServerLog& server_log,
        std::size_t max_files) {
  store::Store& store = cache.store;
  const Log log = server_log.log();
  worker::Pool workers(pool_options(config), log);
  Metrics metrics;
  const service::RunJob run_job = metrics.counting(
      [&workers](worker::Job job, worker::Sink sink) { return workers.run(std::move(job), std::move(sink)); });
  service::WorkerReader reader(run_job, config.service.limits);
  fetch::ObjectCache objects(store, service::kObjects, config.network, reader,
                             service::ids_by_workers(run_job, config.service.limits));
  fetch::HttpClient client(config.network, std::string(kUserAgent));
  const auto open = [&](const config::Config& c) { return open_sources(c.sources, objects, client, metrics, log); };
  auto sources = open(config);
  if (!sources) return could_not(sources.error());
  service::CacheService service(store, std::move(*sources), run_job, log,
                                service_options(config, cache.directory, max_files));

  std::atomic<bool> ending = false;
  api::ApiOptions api_options;
  api_options.unready = [&]() -> std::optional<std::string> {
    if (ending) return "shutting down";
    if (store.no_space()) return "out of disk space";  // the log says where
    return std::nullopt;
  };
  api_options.answered = [&metrics](std::string_view route, unsigned status) { metrics.answered(route, status); };
  const auto handler = [&](http::Request request) { return api::answer(std::move(request), service, api_options); };
  auto server = net::Server::start(listening_at(config.bind, config.server), handler, log);
  if (!server) return could_not(server.error());
  const auto measure = [&] { return metrics.text({(*server)->stats(), workers.stats(), service.stats()}); };
  const auto admin = start_admin(config.admin_bind, {measure, api_options.unready}, log);
  if (!admin) return could_not(fmt::format("admin_bind: {}", admin.error()));
  store.remove_left_overs();
  store::Maintenance maintenance(cache.directory, *store.quotas());
  const auto apply = [&](const config::Config& c, Sources s) {
    service.use(std::move(s), c.service.retry);
    server_log.set_level(c.logging.level);
  };
  const auto drain = [&] {
    ending = true;
    service.drain();
  };
  Reloader reloader(options, config, {open, apply}, log);
  const ShutdownWatch watch(**server, std::chrono::seconds(config.grace), {drain, [&reloader] { reloader.reload(); }},
                            log);
  say_where("listening", (*server)->options().address, (*server)->port(), log);
  if (*admin) say_where("admin", (*admin)->options().address, (*admin)->port(), log);
  (*server)->join();
  client.stop();
  workers.stop();
  service.stop();
  maintenance.stop();
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
  store::StoreOptions store_options;
  store_options.quotas.limits = config.caches;
  auto store = store::Store::open(cache_dir, random_boot(), std::move(store_options));
  if (!store) return could_not(store.error());
  log(Severity::info, fmt::format("symcached {}, cache directory {}", SYMCACHED_VERSION, cache_dir.string()));
  return run(options, config, {cache_dir, **store}, server_log, max_files);
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("serve", "Serve symcaches of PDBs over HTTP");
  const auto options = std::make_shared<ServeOptions>();
  add_serve_options(*command, *options);
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace symcached::app
