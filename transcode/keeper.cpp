#include "transcode/keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>

namespace symcached::transcode {
namespace {

constexpr std::size_t kNumbers = 4;
constexpr int kWrongUsage = 2;
constexpr int kNotStarted = 127;

std::optional<ProgramLimits> parse_limits(std::span<char* const> texts) {
  std::uint64_t numbers[kNumbers] = {};
  for (std::size_t i = 0; i < kNumbers; ++i) {
    const std::string_view text = texts[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
  return ProgramLimits{numbers[0], numbers[1], numbers[2], numbers[3] != 0};
}

bool write_file(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) ::close(file);
  return done;
}

/// A network without anything in it. Without a right to that, as the lone user of a name space of our own: there we are
/// whoever we were, because Wine looks at who owns its files.
bool leave_network() {
  if (::unshare(CLONE_NEWNET) == 0) return true;
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", fmt::format("{0} {0} 1", user));
  write_file("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
  return true;
}

/// The hard limit is a little above the soft one, so that a signal says which limit it was.
void set_limit(__rlimit_resource which, std::uint64_t value) {
  constexpr rlim_t kAbove = 5;
  const rlimit limit{value, which == RLIMIT_CPU ? value + kAbove : value};
  ::setrlimit(which, &limit);
}

void report(const KeeperReport& said) {
  [[maybe_unused]] const ssize_t ignored = ::write(kReportTo, &said, sizeof said);  // nobody reads: nobody waits
}

[[noreturn]] void become(const ProgramLimits& limits, const sigset_t& signals, char* const* command) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should the keeper itself be killed
  ::setsid();
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, limits.file_size);
  set_limit(RLIMIT_CPU, limits.processor);
  if (limits.memory != 0) set_limit(RLIMIT_AS, limits.memory);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  ::execvp(command[0], command);
  report({KeeperReport::Kind::not_started, errno, 0});
  ::_exit(kNotStarted);
}

/// Whatever the program started is ours once its parent is gone, so the last one ends here.
void end_all(pid_t program) {
  do {
    ::kill(-program, SIGKILL);
    std::ifstream children(fmt::format("/proc/self/task/{}/children", ::getpid()));
    for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
  } while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR);
}

/// Nothing if we are told to end before the program does.
std::optional<int> wait_for(pid_t program, const sigset_t& waited) {
  while (true) {
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == program) return status;
    if (::sigwaitinfo(&waited, nullptr) == SIGTERM) return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> keeper_arguments(const ProgramLimits& limits, std::span<const std::string> command) {
  std::vector<std::string> all = {std::string(kKeeperCommand), std::to_string(limits.processor),
                                  std::to_string(limits.memory), std::to_string(limits.file_size),
                                  limits.has_network ? "1" : "0"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

int keep(std::span<char* const> arguments) {
  const auto limits = arguments.size() > kNumbers ? parse_limits(arguments) : std::nullopt;
  if (!limits || ::fcntl(kReportTo, F_SETFD, FD_CLOEXEC) != 0) {
    std::fputs("symcached transcode-keeper: only `symcached serve` starts it\n", stderr);
    return kWrongUsage;
  }
  sigset_t waited{}, before{};
  ::sigemptyset(&waited);
  ::sigaddset(&waited, SIGTERM);
  ::sigaddset(&waited, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &waited, &before);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const bool refused = !limits->has_network && !leave_network();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const pid_t program = ::fork();
  if (program == 0) become(*limits, before, arguments.subspan(kNumbers).data());
  if (program < 0) {
    report({KeeperReport::Kind::not_started, errno, 0});
    return 0;
  }
  const auto status = wait_for(program, waited);
  end_all(program);
  if (status) report({KeeperReport::Kind::ended, *status, refused ? 1u : 0u});
  return 0;
}

}  // namespace symcached::transcode
