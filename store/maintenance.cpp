#include "store/maintenance.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "store/survey.hpp"

namespace symcached::store {
namespace {

/// Of the calling thread, for disk and CPU: requests go first. A system that refuses is no reason to stop.
void become_idle() {
  constexpr int kThisThread = 0, kOfProcess = 1, kIdle = 3, kClassShift = 13, kLeast = 19;
  static_cast<void>(::syscall(SYS_ioprio_set, kOfProcess, kThisThread, kIdle << kClassShift));
  static_cast<void>(::setpriority(PRIO_PROCESS, kThisThread, kLeast));
}

}  // namespace

Maintenance::Maintenance(std::filesystem::path directory, Quotas& quotas, MaintenanceOptions options)
    : directory_(std::move(directory)),
      quotas_(quotas),
      options_(std::move(options)),
      expiry_every_(options_.expiry_every),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Maintenance::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

/// @return whether to go on
bool Maintenance::rest(const std::stop_token& stop, Steady::duration time) {
  std::unique_lock lock(mutex_);
  stopping_.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

/// Half of the time at most, and not too long where the disk is slow.
void Maintenance::survey_all(const std::stop_token& stop) {
  const auto pace = [&](Steady::duration took) {
    return rest(stop, std::min<Steady::duration>(took, options_.longest_rest));
  };
  const auto surveyed = survey(directory_, quotas_, pace);
  if (!surveyed) return;
  found_ += surveyed->found;
  gone_ += surveyed->gone;
  ++surveys_;
}

void Maintenance::run(const std::stop_token& stop) {
  become_idle();
  Steady::time_point next_survey{}, last_expiry{};  // at once
  do {
    const auto now = Steady::now();
    if (now >= next_survey) {
      next_survey = now + options_.survey_every;
      survey_all(stop);
    }
    if (now >= last_expiry + expiry_every_.load()) {
      last_expiry = now;
      quotas_.expire(static_cast<std::uint32_t>(std::time(nullptr)), stop);
    }
    quotas_.enforce(stop);
    if (options_.after_round) options_.after_round(counts());
  } while (rest(stop, std::min(options_.limits_every, expiry_every_.load())));
}

}  // namespace symcached::store
