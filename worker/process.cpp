#include "worker/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
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

#include "base/sanitizers.hpp"
#include "worker/channel.hpp"
#include "worker/serve.hpp"

namespace symcached::worker {
namespace {

/// What posix_spawn is told; freed with it.
class SpawnPlan {
 public:
  explicit SpawnPlan(int channel) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    // Reports of a sanitizer are worth reading; whatever else a worker prints may come from a hostile file.
    if (!kSanitized) ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, channel, kChannel);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kChannel + 1);
    sigset_t none{}, all{};
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  int run(pid_t& pid, std::vector<char*> arguments, std::vector<char*> environment) const {
    const char* program = std::exchange(arguments[0], ::program_invocation_short_name);  // for whoever lists processes
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    return ::posix_spawn(&pid, program, &actions_, &attributes_, arguments.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

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

std::vector<char*> pointers(std::span<const std::string> texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  return all;
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
  pid_t pid = -1;
  const SpawnPlan plan(channel->second.get());
  if (const int error = plan.run(pid, pointers(command), pointers(environment)); error != 0) return failed(error);
  return Process(pid, std::move(channel->first));
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
  if (const int signal = last_signal(); signal != 0) {
    const char* meaning = ::sigdescr_np(signal);
    return fmt::format("signal {} ({})", signal, meaning == nullptr ? "unknown" : meaning);
  }
  return fmt::format("exit status {}", WEXITSTATUS(status_));
}

int Process::last_signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

}  // namespace symcached::worker
