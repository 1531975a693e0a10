#pragma once
/// Signals that must not end the program.
#include <pthread.h>

#include <csignal>

namespace symcached {

/// A write to a connection or pipe whose reader has gone fails with EPIPE instead of ending the program, for the
/// calling thread and those it starts from now on. Programs started from it inherit the mask, so reset it for them.
inline void block_sigpipe() {
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

}  // namespace symcached
