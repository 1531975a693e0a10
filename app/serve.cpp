#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdio>
#include <random>

#include "api/routes.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/process.hpp"
#include "app/serve_options.hpp"
#include "app/shutdown.hpp"
#include "app/user_agent.hpp"
#include "app/worker.hpp"
#include "base/utf8.hpp"
#include "fetch/source.hpp"
#include "service/cache_versions.hpp"
#include "service/worker_ids.hpp"
#include "service/worker_reader.hpp"

namespace symcached::app {
namespace {

Log make_log() {
  const auto logger = spdlog::stderr_logger_mt("symcached");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::info);
  return [logger](Severity severity, const std::string& line) {
    constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    logger->log(kLevels[static_cast<std::size_t>(severity)], spdlog::string_view_t(escaped(line)));
  };
}

std::uint64_t random_boot() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

int could_not(const std::string& why) {
  complain("serve", why);
  return kCouldNot;
}

using Sources = std::vector<std::unique_ptr<fetch::Source>>;

std::expected<Sources, std::string> open_sources(const std::vector<std::string>& symbols, fetch::ObjectCache& objects,
                                                 fetch::HttpClient& client, const Log& log) {
  Sources sources;
  for (const std::string& text : symbols) {
    auto source = fetch::make_source(text, objects, client);
    if (!source) return std::unexpected(std::move(source.error()));
    log(Severity::info, fmt::format("symbols: {}", (*source)->name()));
    sources.push_back(std::move(*source));
  }
  if (sources.empty()) log(Severity::warning, "no --symbols given; serving only what is cached");
  return sources;
}

/// In the log, and on stdout for who started it and waits for the address.
void say_where(const std::string& host, std::uint16_t port, const Log& log) {
  const bool is_v6 = host.find(':') != std::string::npos;
  const std::string where = fmt::format("listening on http://{}:{}", is_v6 ? "[" + host + "]" : host, port);
  log(Severity::info, where);
  fmt::print("{}\n", where);
  std::fflush(stdout);
}

int serve(const ServeOptions& options) {
  ignore_write_signals();
  const std::size_t max_files = raise_descriptor_limit();
  const Log log = make_log();
  const std::filesystem::path cache_dir =
      options.cache_dir.empty() ? default_cache_dir() : std::filesystem::path(options.cache_dir);
  if (cache_dir.empty()) return could_not("neither XDG_CACHE_HOME nor HOME is set; give --cache-dir");
  auto store = store::Store::open(cache_dir, random_boot());
  if (!store) return could_not(store.error());
  log(Severity::info, fmt::format("symcached {}, cache directory {}", SYMCACHED_VERSION, cache_dir.string()));

  worker::PoolOptions pool_options = options.workers;
  pool_options.command = {"/proc/self/exe", std::string(kWorkerCommand)};
  worker::Pool workers(pool_options, log);
  const service::RunJob run = [&workers](worker::Job job, worker::Sink sink) {
    return workers.run(std::move(job), std::move(sink));
  };
  service::WorkerReader reader(run, options.service.limits);
  fetch::ObjectCache objects(**store, service::kObjects, options.fetch, reader,
                             service::ids_by_workers(run, options.service.limits));
  fetch::HttpClient client(options.fetch, std::string(kUserAgent));
  auto sources = open_sources(options.symbols, objects, client, log);
  if (!sources) return could_not(sources.error());
  service::ServiceOptions service_options = options.service;
  service_options.max_active = jobs_for(max_files);
  service::SymcacheService service(**store, std::move(*sources), run, log, service_options);

  const Address address = *parse_bind(options.bind);
  net::ServerOptions server_options = options.server;
  server_options.address = address.host;
  server_options.port = address.port;
  const auto handler = [&service](http::Request request) {
    return api::answer(std::move(request), service, api::ApiOptions{});
  };
  auto server = net::Server::start(server_options, handler, log);
  if (!server) return could_not(server.error());
  (*store)->remove_left_overs();
  const ShutdownWatch watch(**server, std::chrono::seconds(options.grace), [&service] { service.drain(); }, log);
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
