#include "base/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace symcached {
namespace {

/// What a shell ends of, and what it wrote to descriptor 1.
struct Ran {
  std::string ending, output;
};
Ran shell(const std::string& script) {
  int pipe[2];
  EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const std::string command[] = {"/bin/sh", "-c", script};
  const std::string environment[] = {"GIVEN=yes"};
  const std::pair<int, int> descriptors[] = {{pipe[1], STDOUT_FILENO}};
  const auto pid = start_child({.command = command, .environment = environment, .descriptors = descriptors});
  ::close(pipe[1]);
  Ran ran;
  char buffer[4096];
  for (ssize_t n; (n = ::read(pipe[0], buffer, sizeof buffer)) > 0;)
    ran.output.append(buffer, static_cast<std::size_t>(n));
  ::close(pipe[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(pid.value(), &status, 0), *pid);
  ran.ending = ending_text(status);
  return ran;
}

TEST(ChildProcess, EndsOfWhat) {
  EXPECT_EQ(shell("exit 0").ending, "exit status 0");
  EXPECT_EQ(shell("exit 3").ending, "exit status 3");
  EXPECT_EQ(shell("kill -SEGV $$").ending, "signal 11 (Segmentation fault)");
}

TEST(ChildProcess, HasOnlyWhatItIsGiven) {
  ::setenv("NOT_GIVEN", "no", 1);
  EXPECT_EQ(shell("echo $GIVEN$NOT_GIVEN").output, "yes\n");
  EXPECT_EQ(shell("read line || echo nothing to read").output, "nothing to read\n");
  EXPECT_EQ(shell("ls /proc/$$/fd | head -n 3 | tr '\\n' ' '; ls /proc/$$/fd | grep -cv '^[0-2]$'").output.substr(0, 6),
            "0 1 2 ");
}

TEST(ChildProcess, AProgramThatIsMissing) {
  const std::string command[] = {"/no/such/program"};
  EXPECT_EQ(start_child({.command = command}).error(), ENOENT);
}

}  // namespace
}  // namespace symcached
