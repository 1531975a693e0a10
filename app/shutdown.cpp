#include "app/shutdown.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <exception>

#include "app/commands.hpp"

namespace symcached::app {
namespace {

constexpr std::chrono::seconds kLastResort{5};  ///< from the cut to the end of the process, whatever hangs

}  // namespace

ShutdownWatch::ShutdownWatch(net::Server& server, std::chrono::seconds grace, Actions actions, Log log)
    : server_(server),
      grace_(grace),
      actions_(std::move(actions)),
      log_(std::move(log)),
      signals_(context_, SIGTERM, SIGINT),
      reloads_(context_, SIGHUP),
      timer_(context_) {
  signals_.async_wait([this](const boost::system::error_code& error, int) {
    if (!error) drain();
  });
  await_reload();
  thread_ = std::thread([this] {
    try {
      context_.run();
    } catch (const std::exception& error) {  // without a thread for it, a signal would do nothing any more
      log_(Severity::error, fmt::format("cannot shut down in order: {}", error.what()));
      ::_exit(kCouldNot);
    }
  });
}

ShutdownWatch::~ShutdownWatch() {
  context_.stop();
  thread_.join();
}

void ShutdownWatch::await_reload() {
  reloads_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    actions_.reload();
    await_reload();
  });
}

void ShutdownWatch::drain() {
  log_(Severity::info, fmt::format("shutting down; completing open responses (at most {} s)", grace_.count()));
  const auto cut_once = [this](const boost::system::error_code& error) {
    if (!error && !std::exchange(cutting_, true)) cut();
  };
  signals_.async_wait([cut_once](const boost::system::error_code& error, int) { cut_once(error); });
  timer_.expires_after(grace_);
  timer_.async_wait(cut_once);
  server_.drain();
  actions_.drain();
}

void ShutdownWatch::cut() {
  for (const std::string& line : server_.cut()) log_(Severity::warning, "not completed: " + line);
  timer_.expires_after(kLastResort);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    log_(Severity::error, fmt::format("still not ended {} s after the last response; giving up", kLastResort.count()));
    ::_exit(kCouldNot);
  });
}

}  // namespace symcached::app
