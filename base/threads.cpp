#include "base/threads.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace symcached {

unsigned hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

void run_on_threads(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto contained = [&](std::size_t i) {
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t i = 1; i < count; ++i) others.emplace_back(contained, i);
    } catch (const std::system_error&) {  // no more threads: those that there are do it all
    }
    contained(0);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace symcached
