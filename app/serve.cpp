#include <fmt/format.h>

#include <atomic>
#include <cstdio>

#include "api/admin/endpoint.hpp"
#include "api/routes.hpp"
#include "app/backend.hpp"
#include "app/cache_entries.hpp"
#include "app/cache_place.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/doors.hpp"
#include "app/log.hpp"
#include "app/process.hpp"
#include "app/reload.hpp"
#include "app/serve_options.hpp"
#include "app/shutdown.hpp"
#include "app/statsd_sender.hpp"
#include "config/address.hpp"
#include "store/maintenance.hpp"

namespace symcached::app {
namespace {

int could_not(const std::string& why) {
  complain("serve", why);
  return kCouldNot;
}

/// In the log, and on stdout for who started it and waits for the address.
void say_where(std::string_view what, const net::Server& server, const Log& log) {
  const std::string& host = server.options().address;
  const bool is_v6 = host.find(':') != std::string::npos;
  const std::string where = fmt::format("{} on {}://{}:{}", what, server.options().tls ? "https" : "http",
                                        is_v6 ? "[" + host + "]" : host, server.port());
  log(Severity::info, where);
  fmt::print("{}\n", where);
  std::fflush(stdout);
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
  options.body_plan = api::PprofDesk::plan_body;
  return options;
}

/// @return nothing if `bind` is empty, or why it cannot listen
std::expected<std::unique_ptr<net::Server>, std::string> start_admin(const std::string& bind, api::AdminOptions options,
                                                                     const Log& log) {
  if (bind.empty()) return nullptr;
  const auto handler = [options](http::Request request) { return api::answer_admin(std::move(request), options); };
  return net::Server::start(listening_at(bind, admin_options()), handler, log);
}

/// @return nothing if `path` is empty, or why it cannot be written to
std::expected<std::unique_ptr<api::Recorder>, std::string> open_recorder(const std::string& path, const Log& log) {
  if (path.empty()) return nullptr;
  return api::Recorder::open(path, log);
}

int tell_end(std::uint64_t cut, const Log& log) {
  if (cut == 0) log(Severity::info, "shut down; all open responses were completed");
  else log(Severity::warning, fmt::format("shut down; responses cut off: {}", cut));
  return cut == 0 ? kDone : kCouldNot;
}

/// Tells the log what maintenance found and removed since it was last called.
class CacheLog {
 public:
  CacheLog(store::Quotas& quotas, Log log) : quotas_(quotas), log_(std::move(log)) {}

  void operator()(const store::MaintenanceCounts& done) {
    const store::QuotaCounts now = quotas_.counts();
    if (done.surveys != surveys_)
      log_(Severity::info, fmt::format("cache: {} after a walk through the directory; others added {}, deleted {}",
                                       amount_text(now.entries, now.bytes), done.found - found_, done.gone - gone_));
    surveys_ = done.surveys, found_ = done.found, gone_ = done.gone;
    store::QuotaCounts removed = now;
    removed.evicted -= before_.evicted, removed.expired -= before_.expired, removed.reclaimed -= before_.reclaimed;
    if (removed.evicted + removed.expired != 0) log_(Severity::info, "cache: removed " + removed_text(removed));
    before_ = now;
  }

 private:
  store::Quotas& quotas_;
  const Log log_;
  store::QuotaCounts before_;
  std::uint64_t surveys_ = 0, found_ = 0, gone_ = 0;
};

std::chrono::seconds cleanup_interval(const config::Config& config) {
  return std::chrono::duration_cast<std::chrono::seconds>(config.cleanup_interval);
}

/// Until a signal ends it.
int run(const ServeOptions& options, const config::Config& config, const Doors& doors, Backend& backend,
        ServerLog& server_log) {
  store::Store& store = backend.store();
  service::CacheService& service = backend.service();
  Metrics& metrics = backend.metrics();
  const Log log = server_log.log();

  std::atomic<bool> ending = false;
  api::ApiOptions api_options;
  api_options.unready = [&]() -> std::optional<std::string> {
    if (ending) return "shutting down";
    if (store.no_space()) return "out of disk space";  // the log says where
    return std::nullopt;
  };
  api_options.answered = [&metrics](std::string_view route, unsigned status) { metrics.answered(route, status); };
  api_options.is_https = doors.tls != nullptr;
  api_options.prefixes = api::Prefixes(config.prefixes);
  const auto recorder = open_recorder(config.logging.record, log);
  if (!recorder) return could_not(fmt::format("logging.record: {}", recorder.error()));
  api_options.recorder = recorder->get();
  Transcoding* const transcoding = backend.transcoding();
  if (transcoding != nullptr) {
    api_options.microsoft = &transcoding->service();
    api_options.redirect = transcoding->redirect();
    api_options.workers = transcoding->workers();
  }
  api_options.hold = config.hold;
  api_options.stacks = {.stacks = &backend.stacks(),
                        .requests = &backend.requests(),
                        .source_rules = config.symbolication.sources,
                        .max_body = config.symbolication.max_body};
  api_options.files = &backend.files();
  api_options.gate = doors.gate.get();
  std::optional<net::RateLimiter> rate;
  if (config.rate.per_second != 0) api_options.rate = &rate.emplace(config.rate);
  const auto handler = [&](http::Request request) { return api::answer(std::move(request), service, api_options); };
  net::ServerOptions listener = listening_at(config.bind, config.server);
  listener.tls = doors.tls;
  listener.body_plan = [&api_options](const http::Request& head) { return api::plan_body(head, api_options); };
  auto server = net::Server::start(listener, handler, log);
  if (!server) return could_not(server.error());
  store::Quotas& quotas = *store.quotas();
  store::Maintenance maintenance(backend.directory(), quotas,
                                 {.expiry_every = cleanup_interval(config), .after_round = CacheLog(quotas, log)});
  const auto snapshot = [&]() -> MetricsSnapshot {
    return {(*server)->stats(),      rate ? rate->refused() : 0,
            doors.gate->wrong(),     backend.workers().stats(),
            service.stats(),         quotas.counts(),
            maintenance.counts(),    backend.client().hosts().left_alone(),
            backend.symbolication(), store::disk_room_of(backend.directory()),
            !api_options.unready(),  transcoding != nullptr ? std::optional(transcoding->stats()) : std::nullopt};
  };
  const auto measure = [&] { return metrics.text(snapshot()); };
  api::PprofDesk pprof(pprof::this_process());
  const auto admin = start_admin(config.admin_bind, {measure, api_options.unready, &pprof}, log);
  if (!admin) return could_not(fmt::format("admin_bind: {}", admin.error()));
  store.remove_left_overs();
  const auto open = [&](const config::Config& c) -> std::expected<Sources, std::string> {
    auto sources = backend.open_sources(c);
    if (!sources) return sources;
    if (const auto changed = doors.reload(c); !changed) return std::unexpected(changed.error());
    return sources;
  };
  const auto apply = [&](const config::Config& c, Sources s) {
    service.use(std::move(s), c.service.retry);
    quotas.use(limits_of(c));
    maintenance.expire_every(cleanup_interval(c));
    server_log.set_level(c.logging.level);
  };
  const auto drain = [&] {
    ending = true;
    pprof.stop();
    service.drain();
    if (transcoding != nullptr) transcoding->service().drain();
  };
  Reloader reloader(options, config, {open, apply}, log);
  const ShutdownWatch watch(**server, std::chrono::seconds(config.grace), {drain, [&reloader] { reloader.reload(); }},
                            log);
  std::optional<StatsdSender> statsd;
  if (!config.statsd.address.empty()) statsd.emplace(config.statsd, [&] { return metrics.families(snapshot()); }, log);
  say_where("listening", **server, log);
  if (*admin) say_where("admin", **admin, log);
  (*server)->join();
  backend.stop();
  maintenance.stop();
  return tell_end((*server)->stats().responses_cut, log);
}

int serve(const ServeOptions& options) {
  ignore_write_signals();
  const std::size_t max_files = raise_descriptor_limit();
  const config::Loaded loaded = load_config(options);
  for (const std::string& line : config::error_lines(loaded.report, options.config_file)) complain("serve", line);
  if (!loaded.report.errors().empty()) return kCouldNot;
  ServerLog server_log(loaded.config.logging);
  const Log log = server_log.log();
  for (const std::string& line : config::warning_lines(loaded.report, options.config_file))
    log(Severity::warning, line);
  const auto doors = open_doors(loaded.config, log);
  if (!doors) return could_not(doors.error());
  for (const std::string& line : warnings_about_doors(loaded.config)) log(Severity::warning, line);
  const auto backend =
      Backend::open(loaded.config, {.request_log = server_log.field_log(), .max_files = max_files}, log);
  if (!backend) return could_not(backend.error());
  return run(options, loaded.config, *doors, **backend, server_log);
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("serve", "Serve symcaches of PDBs over HTTP");
  const auto options = std::make_shared<ServeOptions>();
  add_serve_options(*command, *options);
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace symcached::app
