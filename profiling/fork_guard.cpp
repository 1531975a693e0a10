#include "profiling/fork_guard.hpp"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace symcached::pprof {
namespace {

/// One more than the number of a socket; 0: free. Without a lock, as the child may not wait for one.
constinit std::array<std::atomic<int>, 64> sockets{};

void close_all() {
  for (std::atomic<int>& slot : sockets)
    if (const int socket = slot.exchange(0); socket != 0) ::close(socket - 1);
}

}  // namespace

bool close_in_children(int socket) {
  static const bool is_set_up = ::pthread_atfork(nullptr, nullptr, close_all) == 0;
  if (!is_set_up) return false;
  for (std::atomic<int>& slot : sockets) {
    int free = 0;
    if (slot.compare_exchange_strong(free, socket + 1)) return true;
  }
  return false;
}

void keep_in_children(int socket) {
  for (std::atomic<int>& slot : sockets) {
    int expected = socket + 1;
    if (slot.compare_exchange_strong(expected, 0)) return;
  }
}

}  // namespace symcached::pprof
