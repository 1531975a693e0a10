#include "app/worker.hpp"

#include <sys/socket.h>

#include <cstdio>

#include "app/commands.hpp"
#include "service/worker_jobs.hpp"
#include "worker/serve.hpp"

namespace symcached::app {

int run_worker() {
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(worker::kChannel, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fputs("symcached worker: only `symcached serve` starts workers\n", stderr);
    return kWrongUsage;
  }
  return worker::serve(worker::kChannel, service::worker_handlers());
}

}  // namespace symcached::app
