#pragma once
/// Threads that a library may start in any program.
#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace symcached::pprof {

/// The signals of the program go to its own threads: the new one takes only those that it causes itself, such as
/// SIGSEGV. Throws std::system_error.
template <class Work>
std::thread quiet_thread(const char* name, Work work) {
  sigset_t blocked, before;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) ::sigdelset(&blocked, fault);
  ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
  struct Restore {
    const sigset_t& mask;
    ~Restore() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const restore{before};
  std::thread thread(std::move(work));
  ::pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace symcached::pprof
