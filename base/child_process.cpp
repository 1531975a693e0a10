#include "base/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace symcached {
namespace {

/// What posix_spawn is told; freed with it.
class SpawnPlan {
 public:
  SpawnPlan(std::span<const std::pair<int, int>> descriptors, const std::string& folder) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    int highest = STDERR_FILENO;
    for (const auto& [ours, theirs] : descriptors) {
      ::posix_spawn_file_actions_adddup2(&actions_, ours, theirs);
      highest = std::max(highest, theirs);
    }
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      if (std::ranges::find(descriptors, standard, &std::pair<int, int>::second) == descriptors.end())
        ::posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null",
                                           standard == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, highest + 1);
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
  int run(pid_t& pid, const char* program, char* const* arguments, char* const* environment) const {
    return ::posix_spawn(&pid, program, &actions_, &attributes_, arguments, environment);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(std::span<const std::string> texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::expected<pid_t, int> start_child(const ChildPlan& plan) {
  std::vector<char*> arguments = pointers(plan.command);
  const std::vector<char*> environment = pointers(plan.environment);
  const char* program = arguments.front();
  if (!plan.name.empty()) arguments.front() = const_cast<char*>(plan.name.c_str());
  pid_t pid = -1;
  const SpawnPlan spawn(plan.descriptors, plan.folder);
  if (const int error = spawn.run(pid, program, arguments.data(), environment.data()); error != 0)
    return std::unexpected(error);
  return pid;
}

std::string ending_text(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  const char* meaning = ::sigdescr_np(WTERMSIG(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), meaning == nullptr ? "unknown" : meaning);
}

}  // namespace symcached
