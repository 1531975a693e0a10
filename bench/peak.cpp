/// bench_peak OUT COMMAND [ARGUMENT...]: runs a command, writes its peak memory in KiB to the file OUT, and ends as it
/// did. The kernel counts what a process was before it became another program, so a large script would measure itself.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bench/arguments.hpp"

extern char** environ;

int main(int count, char** arguments) {
  const auto die = [](std::string_view why) { symcached::bench::die("bench_peak", why); };
  if (count < 3) die("usage: bench_peak OUT COMMAND [ARGUMENT...]");
  pid_t child = 0;
  if (const int error = ::posix_spawnp(&child, arguments[2], nullptr, nullptr, arguments + 2, environ); error != 0)
    die(fmt::format("{}: {}", arguments[2], std::strerror(error)));
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) die(std::strerror(errno));
  std::FILE* out = std::fopen(arguments[1], "w");
  if (out == nullptr) die(fmt::format("{}: {}", arguments[1], std::strerror(errno)));
  fmt::print(out, "{}\n", usage.ru_maxrss);
  std::fclose(out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
