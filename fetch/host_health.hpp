#pragma once
/// Which hosts are left alone for a while: those that failed several times in a row, and those that asked for it.
#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace symcached::fetch {

struct BreakerRules {
  unsigned threshold = 5;          ///< failures in a row, after which a host is left alone; 0: never
  std::chrono::seconds first{10};  ///< how long; twice as long after each failed probe
  std::chrono::seconds most{300};
  std::vector<std::string> never;  ///< names or addresses of hosts that are asked however often they failed
};

/// Any thread. Hosts are "host:port".
class HostHealth {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Sign : std::uint8_t {
    well,     ///< it answered, whatever it said
    ill,      ///< no connection, time-out, broken connection, 5xx
    unclear,  ///< the request ended for another reason
  };

  /// The right to one request. Dropped without a word it ended unclear.
  class Ticket {
   public:
    Ticket(HostHealth& health, std::string host, bool is_probe)
        : health_(&health), host_(std::move(host)), is_probe_(is_probe) {}
    Ticket(Ticket&& other) noexcept
        : health_(std::exchange(other.health_, nullptr)), host_(std::move(other.host_)), is_probe_(other.is_probe_) {}
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket() { report(Sign::unclear, {}); }

    /// @param retry_after  as a 429 or 503 asks for: until then nothing is asked
    void report(Sign sign, std::optional<std::chrono::seconds> retry_after);

   private:
    HostHealth* health_;
    std::string host_;
    bool is_probe_;
  };

  explicit HostHealth(BreakerRules rules = {}, std::function<Clock::time_point()> now = Clock::now);

  /// How long the host is left alone from now on, at least a second; nothing: it may be asked.
  std::optional<std::chrono::seconds> pause(const std::string& host) const;
  /// The right to ask it, or the pause. After a pause for failures one request is let through to see whether they are
  /// over; while it is under way the others wait.
  std::expected<Ticket, std::chrono::seconds> begin(const std::string& host);
  /// How many hosts are left alone now.
  std::size_t left_alone() const;

 private:
  struct Host {
    unsigned failures = 0;
    unsigned pauses = 0;  ///< in a row
    bool probing = false;
    Clock::time_point ill_until{}, asked_until{};
  };
  std::optional<std::chrono::seconds> pause_of(const Host& host) const;
  void report(const std::string& host, bool is_probe, Sign sign, std::optional<std::chrono::seconds> retry_after);
  void fail(Host& host, bool is_probe);
  bool is_spared(const std::string& host) const;
  void make_room();

  const BreakerRules rules_;
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Host> hosts_;  ///< those there is something to say of
};

}  // namespace symcached::fetch
