#include "worker/process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "base/child_process.hpp"
#include "base/sanitizers.hpp"
#include "worker/channel.hpp"
#include "worker/serve.hpp"

namespace symcached::worker {
namespace {

/// A sanitizer's runtime cannot live within an address space, so it gets its own kind of limit.
std::vector<std::string> environment_of_workers() {
  if (!kSanitized) return {};
  std::vector<std::string> environment;
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
    const char* given = std::getenv(name);
    environment.push_back(
        fmt::format("{}={}:hard_rss_limit_mb=768:allocator_may_return_null=0", name, given == nullptr ? "" : given));
  }
  return environment;
}

void set_soft_limit(pid_t pid, __rlimit_resource which, std::uint64_t value) {
  const rlimit limit{value, RLIM_INFINITY};
  ::prlimit(pid, which, &limit, nullptr);
}

std::uint64_t seconds_used(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) + 1;
}

}  // namespace

std::expected<Process, std::string> Process::start(std::span<const std::string> command) {
  const auto failed = [](int error) {
    return std::unexpected(fmt::format("cannot start a worker process: {}", std::strerror(error)));
  };
  auto channel = make_channel();
  if (!channel) return failed(errno);
  const std::vector<std::string> environment = environment_of_workers();
  // Reports of a sanitizer are worth reading; whatever else a worker prints may come from a hostile file.
  std::vector<std::pair<int, int>> descriptors;
  if (kSanitized) descriptors.emplace_back(STDERR_FILENO, STDERR_FILENO);
  descriptors.emplace_back(channel->second.get(), kChannel);
  const auto pid = start_child({.command = command,
                                .name = ::program_invocation_short_name,
                                .environment = environment,
                                .descriptors = descriptors});
  if (!pid) return failed(pid.error());
  return Process(*pid, std::move(channel->first));
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), status_(other.status_), channel_(std::move(other.channel_)) {}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  std::swap(channel_, other.channel_);
  return *this;
}

Process::~Process() { end(); }

void Process::limit(const Limits& limits) const {
  if (!kSanitized) set_soft_limit(pid_, RLIMIT_AS, limits.address_space);
  set_soft_limit(pid_, RLIMIT_CPU, seconds_used(pid_) + static_cast<std::uint64_t>(limits.processor.count()));
}

std::uint64_t Process::resident() const {
  struct Close {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<FILE, Close> file(std::fopen(fmt::format("/proc/{}/statm", pid_).c_str(), "re"));
  std::uint64_t all = 0, resident = 0;
  if (!file || std::fscanf(file.get(), "%lu %lu", &all, &resident) != 2) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

bool Process::ended() {
  if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

std::string Process::end() {
  if (pid_ > 0) {
    // One that has ended already keeps the status it ended with.
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
  return ending_text(status_);
}

int Process::last_signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

}  // namespace symcached::worker
