#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace symcached::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 1000ms, kStep = 100ms;
constexpr std::size_t kBarWidth = 20, kMarkWidth = 4;

/// A mark that wanders to and fro: how much is left of a conversion is not known before it ends.
std::string bar_at(std::size_t step) {
  constexpr std::size_t kWay = kBarWidth - kMarkWidth;
  const std::size_t phase = step % (2 * kWay);
  std::string bar(kBarWidth, ' ');
  return bar.replace(phase < kWay ? phase : 2 * kWay - phase, kMarkWidth, kMarkWidth, '#');
}

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (::isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Progress::show() {
  const auto begin = std::chrono::steady_clock::now();
  const auto is_done = [this] { return is_done_; };
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, kSilence, is_done)) return;
  for (std::size_t step = 0; !ended_.wait_for(lock, kStep, is_done); ++step) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "\r[{}] {} {:.0f} s", bar_at(step), what_, taken.count());
  }
  fmt::print(stderr, "\r\x1b[K");  // wipes the line
  std::fflush(stderr);
}

}  // namespace symcached::app
