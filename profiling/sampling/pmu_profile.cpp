#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <unordered_map>

#include "base/descriptor.hpp"
#include "profiling/sampling/collect.hpp"
#include "profiling/sampling/own_threads.hpp"
#include "profiling/sampling/pmu_event.hpp"
#include "profiling/sampling/signal_sampler.hpp"

namespace symcached::pprof {
namespace {

Descriptor open_counter(const PmuEvent& event, std::uint64_t period, pid_t thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.sample_period = period;
  attributes.wakeup_events = 1;
  attributes.disabled = 1;
  attributes.exclude_user = !event.user;
  attributes.exclude_kernel = !event.kernel;
  attributes.exclude_hv = 1;
  const long fd = ::syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return Descriptor(static_cast<int>(fd));
}

/// A counter of each thread, which sends SIGPROF to it each period: its own unwinder then runs, where the kernel's
/// would follow frame pointers, which libraries are built without.
class Counters : public Trigger {
 public:
  Counters(const PmuEvent& event, std::uint64_t period) : event_(event), period_(period) {}

  int start(pid_t thread, int) override {
    Descriptor counter = open_counter(event_, period_, thread);
    if (!counter) return errno;
    const f_owner_ex owner{F_OWNER_TID, thread};
    const bool started = ::fcntl(counter.get(), F_SETOWN_EX, &owner) == 0 &&
                         ::fcntl(counter.get(), F_SETSIG, SIGPROF) == 0 &&
                         ::fcntl(counter.get(), F_SETFL, O_ASYNC | O_NONBLOCK) == 0 &&
                         ::ioctl(counter.get(), PERF_EVENT_IOC_ENABLE, 0) == 0;
    if (!started) return errno;
    counters_[thread] = std::move(counter);
    return 0;
  }
  void stop(pid_t thread) override {
    const auto counter = counters_.extract(thread);
    if (!counter) return;
    ::ioctl(counter.mapped().get(), PERF_EVENT_IOC_DISABLE, 0);
    std::uint64_t events = 0;
    if (::read(counter.mapped().get(), &events, sizeof events) == sizeof events) due_ += events / period_;
  }
  bool alive(pid_t) override { return true; }
  bool is_timer() const override { return false; }
  std::int64_t missed(std::int64_t taken) override {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(due_) - taken);
  }
  Refusal refusal(int error) override;

 private:
  PmuEvent event_;
  std::uint64_t period_;
  std::uint64_t due_ = 0;
  std::unordered_map<pid_t, Descriptor> counters_;
};

std::string paranoia() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string value;
  std::getline(file, value);
  return value.empty() ? "unknown" : value;
}

std::string list_of_usable() {
  std::string list;
  for (const std::string& name : usable_events()) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "no event works here" : "these work here: " + list;
}

Refusal Counters::refusal(int error) {
  const std::string name = "the event " + event_.name;
  const std::string detail = std::string(" (") + std::strerror(error) + ")";
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case ENOSYS:
      return {501, name + " is not counted here: the machine has no such counter, as virtual ones often do not" +
                       detail + "; " + list_of_usable()};
    case EACCES:
    case EPERM:
      return {403, name + " may not be counted" + detail + ": /proc/sys/kernel/perf_event_paranoid is " + paranoia() +
                       ", and the program has no CAP_PERFMON, or seccomp forbids it; " + list_of_usable()};
    case EBUSY:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return {503, name + " cannot be counted now" + detail + ": counters, memory or descriptors are used up", 10};
    default: return {500, name + " is refused by the kernel" + detail};
  }
}

}  // namespace

Answer<Profile> pmu_profile(PmuOptions options, std::stop_token stop) {
  const Answer<PmuEvent> event = find_event(options.event);
  if (!event) return std::unexpected(event.error());
  if (options.duration.count() <= 0) return std::unexpected(Refusal{400, "the duration must be above 0"});
  const std::uint64_t period = options.period == 0 ? event->usual_period : options.period;
  constexpr std::uint64_t kMostPeriod = std::uint64_t{1} << 40;
  if (period < event->least_period || period > kMostPeriod)
    return std::unexpected(Refusal{400, "the period of " + event->name + " must be at least " +
                                            std::to_string(event->least_period) + " and at most 2^40 events"});
  Counters counters(*event, period);
  const Answer<SignalSamples> taken = sample_by_signal(counters, options.duration, stop);
  if (!taken) return std::unexpected(taken.error());
  Profile profile{.kind = Kind::pmu, .samples = taken->stacks.samples(static_cast<std::int64_t>(period))};
  profile.period = static_cast<std::int64_t>(period);
  profile.event = event->name;
  profile.lost = taken->lost;
  profile.start = taken->start;
  profile.duration = taken->duration;
  return profile;
}

std::vector<std::string> usable_events() {
  static const auto& usable = *new std::vector<std::string>([] {
    std::vector<std::string> names;
    for (const GenericEvent& row : generic_events())
      if (open_counter(to_event(row), row.usual_period, 0)) names.emplace_back(row.name);
    return names;
  }());
  return usable;
}

}  // namespace symcached::pprof
