#pragma once
/// Who may come in: counts of connections and requests against their limits, shared by the io threads.
/// Private to `net/`.
#include <atomic>
#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "net/http_server.hpp"

namespace symcached::net {

/// Given back when it goes out of scope; one that says false was not granted.
class Slot {
 public:
  Slot() = default;
  explicit Slot(std::atomic<std::uint64_t>& count) : count_(&count) {}
  Slot(Slot&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Slot& operator=(Slot&& other) noexcept {
    std::swap(count_, other.count_);
    return *this;
  }
  ~Slot() {
    if (count_ != nullptr) count_->fetch_sub(1, std::memory_order_relaxed);
  }
  explicit operator bool() const { return count_ != nullptr; }

 private:
  std::atomic<std::uint64_t>* count_ = nullptr;
};

class Admission;

/// A connection's place among all and among those of its address.
class Place {
 public:
  Place() = default;
  Place(Slot slot, Admission& admission, const boost::asio::ip::address& address)
      : slot_(std::move(slot)), admission_(&admission), address_(address) {}
  Place(Place&& other) noexcept
      : slot_(std::move(other.slot_)), admission_(std::exchange(other.admission_, nullptr)), address_(other.address_) {}
  Place& operator=(Place&&) = delete;
  ~Place();
  explicit operator bool() const { return static_cast<bool>(slot_); }

 private:
  Slot slot_;
  Admission* admission_ = nullptr;
  boost::asio::ip::address address_;
};

class Admission {
 public:
  /// @param options  with no limit at 0, see with_limits()
  explicit Admission(const ServerOptions& options) : options_(options) {}

  /// @return one that says false when there are too many connections, in all or from there
  Place connection(const boost::asio::ip::address& from);
  /// For a connection that is only told that there are too many. Beyond a few it is not even told.
  Slot refusal();
  Slot request();
  ServerStats stats() const;

  /// Held while accepting, so that no io thread takes the descriptor that another has just given up to refuse with.
  std::mutex accepting;
  std::atomic<std::uint64_t> timed_out{0};
  std::atomic<std::uint64_t> hung_up{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> cut{0};
  std::atomic<std::uint64_t> handshakes{0};
  std::atomic<std::uint64_t> handshakes_failed{0};

 private:
  friend class Place;
  void leave(const boost::asio::ip::address& from) noexcept;

  const ServerOptions& options_;
  std::atomic<std::uint64_t> open_{0};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> refusals_{0};
  std::atomic<std::uint64_t> in_flight_{0};
  std::atomic<std::uint64_t> requests_refused_{0};
  std::mutex mutex_;
  std::map<boost::asio::ip::address, std::size_t> per_network_;
};

/// Limits at 0 become what the process can bear.
ServerOptions with_limits(ServerOptions options);

}  // namespace symcached::net
