#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace symcached::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence = 1000ms, kStep = 100ms;
constexpr std::size_t kBarWidth = 20, kMarkWidth = 4;

/// Filled from the left, and the percentage.
std::string bar_of(std::uint64_t done, std::uint64_t total) {
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto marks = static_cast<std::size_t>(part * kBarWidth);
  return fmt::format("[{:<{}}] {:3.0f} %", std::string(marks, '#'), kBarWidth, 100 * part);
}

/// A mark that wanders to and fro: how much is left of a conversion is not known before it ends.
std::string bar_at(std::size_t step) {
  constexpr std::size_t kWay = kBarWidth - kMarkWidth;
  const std::size_t phase = step % (2 * kWay);
  std::string bar(kBarWidth, ' ');
  return fmt::format("[{}]", bar.replace(phase < kWay ? phase : 2 * kWay - phase, kMarkWidth, kMarkWidth, '#'));
}

void wipe_line() {
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
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

void Progress::print(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) wipe_line();
  fmt::print("{}\n", line);
  if (thread_.joinable()) std::fflush(stdout);
}

void Progress::show() {
  const auto begin = std::chrono::steady_clock::now();
  const auto is_done = [this] { return is_done_; };
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, kSilence, is_done)) return;
  for (std::size_t step = 0; !ended_.wait_for(lock, kStep, is_done); ++step) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const std::uint64_t total = total_;
    fmt::print(stderr, "\r{} {} {:.0f} s", total == 0 ? bar_at(step) : bar_of(done_, total), what_, taken.count());
  }
  wipe_line();
}

}  // namespace symcached::app
