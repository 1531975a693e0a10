#pragma once
/// How many requests a client may send in a while, however many it sends at once: a token bucket for each.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace symcached::net {

struct RateRules {
  std::uint32_t per_second = 0;  ///< 0: any number
  std::uint32_t burst = 0;       ///< saved up at most while fewer come; 0: those of ten seconds
};

/// Safe to use from any thread.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;
  static constexpr std::size_t kMostClients = 65'536;

  /// @param rules         per_second not 0
  /// @param most_clients  remembered; of more, those that asked least lately are forgotten, to begin with a whole burst
  explicit RateLimiter(RateRules rules, std::size_t most_clients = kMostClients, Now now = &Clock::now);

  /// One request of a client. @return 0 if it may be answered; otherwise it does not count, and one may be after that
  /// time, at least 1 s. Cost: a hash and a lock.
  std::chrono::seconds wait_of(std::string_view client);

  std::uint64_t refused() const { return refused_; }  ///< since the start

 private:
  struct Client {
    std::string name;
    Clock::time_point full_at;  ///< when its bucket is full again if it asks no more
  };
  std::list<Client>::iterator find_or_add(std::string_view client);

  const Clock::duration interval_;  ///< of one request
  const Clock::duration ahead_;     ///< how far full_at may be ahead when a request comes
  const std::size_t most_clients_;
  const Now now_;
  std::atomic<std::uint64_t> refused_ = 0;
  std::mutex mutex_;
  std::list<Client> clients_;  ///< the one that asked last first
  std::unordered_map<std::string_view, std::list<Client>::iterator> by_name_;
};

}  // namespace symcached::net
