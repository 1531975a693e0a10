#include "app/process.hpp"

#include <sys/resource.h>

#include <csignal>

namespace symcached::app {

void ignore_sigpipe() { std::signal(SIGPIPE, SIG_IGN); }

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace symcached::app
