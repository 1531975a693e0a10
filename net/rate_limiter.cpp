#include "net/rate_limiter.hpp"

#include <algorithm>
#include <utility>

namespace symcached::net {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kSecondsOfBurst = 10;

std::uint64_t burst_of(const RateRules& rules) {
  return rules.burst != 0 ? rules.burst : rules.per_second * kSecondsOfBurst;
}

}  // namespace

RateLimiter::RateLimiter(RateRules rules, std::size_t most_clients, Now now)
    : interval_(Clock::duration(seconds(1)) / rules.per_second),
      ahead_(interval_ * (burst_of(rules) - 1)),
      most_clients_(most_clients),
      now_(std::move(now)) {}

seconds RateLimiter::wait_of(std::string_view client) {
  const Clock::time_point now = now_();
  const std::scoped_lock lock(mutex_);
  const auto found = find_or_add(client);
  clients_.splice(clients_.begin(), clients_, found);
  const Clock::time_point full_at = std::max(found->full_at, now);
  if (full_at - now > ahead_) {
    ++refused_;
    return std::chrono::ceil<seconds>(full_at - now - ahead_);
  }
  found->full_at = full_at + interval_;
  return seconds(0);
}

std::list<RateLimiter::Client>::iterator RateLimiter::find_or_add(std::string_view client) {
  if (const auto found = by_name_.find(client); found != by_name_.end()) return found->second;
  if (clients_.size() >= most_clients_) {
    by_name_.erase(clients_.back().name);
    clients_.pop_back();
  }
  clients_.push_front({std::string(client), Clock::time_point::min()});
  by_name_.emplace(clients_.front().name, clients_.begin());
  return clients_.begin();
}

}  // namespace symcached::net
