#include "service/refresher.hpp"

namespace symcached::service {

bool Refresher::offer(const CacheRequest& request) {
  {
    const auto now = now_();
    const std::scoped_lock lock(mutex_);
    if (tried_.size() >= kMostTried) tried_.clear();
    const auto [found, is_new] = tried_.try_emplace(request.query.scope + " " + request.key, now);
    if (!is_new && now - found->second < again_) return false;
    found->second = now;
  }
  return list_.add(to_line(request.query));
}

std::optional<Refresher::Work> Refresher::next() {
  while (auto line = list_.next()) {
    if (auto query = query_of_line(*line)) return Work{std::move(*line), std::move(*query)};
    list_.done(*line);  // of another version of this program
  }
  return std::nullopt;
}

}  // namespace symcached::service
