#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "api/routes.hpp"
#include "api/version.hpp"
#include "app/commands.hpp"
#include "app/user_agent.hpp"
#include "app/worker.hpp"
#include "fetch/source.hpp"
#include "net/http_server.hpp"
#include "service/cache_versions.hpp"
#include "service/symcache_service.hpp"
#include "service/worker_reader.hpp"

namespace symcached::app {
namespace {

constexpr std::chrono::seconds kGrace{30};  ///< from the first signal to the end, whatever is in flight

struct ServeOptions {
  std::string bind = "127.0.0.1:3021";
  std::string cache_dir;
  std::vector<std::string> symbols;
  unsigned workers = 0;
};

struct Address {
  std::string host;
  std::uint16_t port;
};

/// "127.0.0.1:3021" or "[::1]:3021".
std::optional<Address> parse_bind(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const auto port = api::parse_decimal(text.substr(colon + 1));
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty() || !port || *port > 0xffff || (!in_brackets && host.find(':') != std::string_view::npos))
    return std::nullopt;
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

/// Calls `on_first` at the first SIGTERM or SIGINT. While it lives, a second one, or the grace running out, ends the
/// program at once.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void()> on_first) : signals_(context_, SIGTERM, SIGINT), grace_(context_) {
    signals_.async_wait([this, on_first = std::move(on_first)](const boost::system::error_code& error, int) {
      if (error) return;
      on_first();
      end_after_second_signal_or_grace();
    });
    thread_ = std::thread([this] { context_.run(); });
  }
  ~SignalWatch() {
    context_.stop();
    thread_.join();
  }

 private:
  void end_after_second_signal_or_grace() {
    signals_.async_wait([](const boost::system::error_code& error, int) {
      if (!error) ::_exit(kDone);
    });
    grace_.expires_after(kGrace);
    grace_.async_wait([](const boost::system::error_code& error) {
      if (!error) ::_exit(kDone);
    });
  }

  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer grace_;
  std::thread thread_;
};

int could_not(const std::string& why) {
  fmt::print(stderr, "symcached serve: {}\n", why);
  return kCouldNot;
}

int serve(const ServeOptions& options) {
  const Log log = make_log();
  const std::filesystem::path cache_dir =
      options.cache_dir.empty() ? default_cache_dir() : std::filesystem::path(options.cache_dir);
  if (cache_dir.empty()) return could_not("neither XDG_CACHE_HOME nor HOME is set; give --cache-dir");
  auto store = store::Store::open(cache_dir, random_boot());
  if (!store) return could_not(store.error());

  worker::Pool workers({.command = {"/proc/self/exe", std::string(kWorkerCommand)}, .processes = options.workers}, log);
  const service::RunJob run = [&workers](worker::Job job, worker::Sink sink) {
    return workers.run(std::move(job), std::move(sink));
  };
  const service::ServiceOptions service_options;
  service::WorkerReader reader(run, service_options.limits);

  const fetch::Limits limits;
  fetch::ObjectCache objects(**store, service::kObjects, limits, reader);
  fetch::HttpClient client(limits, std::string(kUserAgent));
  std::vector<std::unique_ptr<fetch::Source>> sources;
  for (const std::string& text : options.symbols) {
    auto source = fetch::make_source(text, objects, client);
    if (!source) return could_not(source.error());
    log(Severity::info, fmt::format("symbols: {}", (*source)->name()));
    sources.push_back(std::move(*source));
  }
  if (sources.empty()) log(Severity::warning, "no --symbols given: only what the cache holds is served");
  service::SymcacheService service(**store, std::move(sources), run, log, service_options);

  const Address address = *parse_bind(options.bind);
  const auto handler = [&service](http::Request request) {
    return api::answer(std::move(request), service, api::ApiOptions{});
  };
  auto server = net::Server::start({.address = address.host, .port = address.port}, handler, log);
  if (!server) return could_not(server.error());
  (*store)->remove_left_overs();
  const SignalWatch watch([&] {
    log(Severity::info, "shutting down: bodies in flight are finished");
    (*server)->drain();
    service.drain();
  });
  const bool is_v6 = address.host.find(':') != std::string::npos;
  fmt::print("listening on http://{}:{}\n", is_v6 ? "[" + address.host + "]" : address.host, (*server)->port());
  std::fflush(stdout);
  (*server)->join();
  client.stop();
  workers.stop();
  service.stop();
  return kDone;
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
  command->add_option("--workers", options->workers, "processes that convert debug files [one per processor]")
      ->check(CLI::Range(1, 256));
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace symcached::app
