#include "object/common/forked_sinks.hpp"

#include <memory>
#include <vector>

#include "base/threads.hpp"

namespace symcached::object {

void run_on_forks(model::ModuleSink& sink, std::size_t threads, const std::function<void(model::ModuleSink&)>& work) {
  std::vector<std::unique_ptr<model::ModuleSink>> parts;
  while (parts.size() + 1 < threads) {
    auto part = sink.fork();
    if (!part) break;
    parts.push_back(std::move(part));
  }
  run_on_threads(parts.size() + 1, [&](std::size_t i) { work(i == 0 ? sink : *parts[i - 1]); });
  for (auto& part : parts) sink.join(std::move(part));
}

}  // namespace symcached::object
