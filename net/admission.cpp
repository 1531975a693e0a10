#include "net/admission.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "base/threads.hpp"
#include "net/network.hpp"

namespace symcached::net {
namespace {

namespace ip = boost::asio::ip;

constexpr std::uint64_t kMostConnections = 32'768;
constexpr std::uint64_t kFewestConnections = 4;
/// Descriptors left to the rest of the process: listening, logs, the cache, downloads.
constexpr std::uint64_t kReserve = 256;
/// A connection has its socket and mostly the file it is being sent.
constexpr std::uint64_t kDescriptorsPerConnection = 2;
/// Connections that are being told that there are too many; each lives a second at most.
constexpr std::uint64_t kMostRefusals = 64;

std::uint64_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  return std::min<std::uint64_t>(limit.rlim_cur, 1 << 20);
}

/// Counts one more, unless there are `most` already.
Slot take(std::atomic<std::uint64_t>& count, std::uint64_t most) {
  if (count.fetch_add(1, std::memory_order_relaxed) < most) return Slot(count);
  count.fetch_sub(1, std::memory_order_relaxed);
  return {};
}

std::uint64_t refusals_for(std::uint64_t connections) {
  return std::clamp<std::uint64_t>(connections / 4, 1, kMostRefusals);
}

}  // namespace

Place::~Place() {
  if (slot_ && admission_ != nullptr) admission_->leave(address_);
}

Place Admission::connection(const ip::address& from) {
  Slot slot = take(open_, options_.max_connections);
  if (!slot) return {};
  const std::scoped_lock lock(mutex_);
  std::size_t& count = per_network_[network_of(from)];
  if (count >= options_.max_connections_per_address) return {};
  ++count;
  accepted_.fetch_add(1, std::memory_order_relaxed);
  return Place(std::move(slot), *this, from);
}

void Admission::leave(const ip::address& from) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = per_network_.find(network_of(from));
  if (found != per_network_.end() && --found->second == 0) per_network_.erase(found);
}

Slot Admission::refusal() {
  refused.fetch_add(1, std::memory_order_relaxed);
  return take(refusals_, refusals_for(options_.max_connections));
}

Slot Admission::request() {
  Slot slot = take(in_flight_, options_.max_in_flight);
  if (!slot) requests_refused_.fetch_add(1, std::memory_order_relaxed);
  return slot;
}

ServerStats Admission::stats() const {
  return {open_,     accepted_, refused, in_flight_, requests_refused_,
          timed_out, hung_up,   cut,     handshakes, handshakes_failed};
}

ServerOptions with_limits(ServerOptions options) {
  if (options.threads == 0) options.threads = hardware_threads();
  if (options.max_connections == 0) {
    const std::uint64_t all = descriptor_limit();
    const std::uint64_t ours = all - std::min(kReserve, all / 2);
    options.max_connections = std::clamp(ours / kDescriptorsPerConnection, kFewestConnections, kMostConnections);
  }
  if (options.max_connections_per_address == 0)
    options.max_connections_per_address = std::max<std::size_t>(1, options.max_connections / 2);
  if (options.max_in_flight == 0) options.max_in_flight = std::max<std::size_t>(1, options.max_connections / 4 * 3);
  options.check_interval = std::max(options.check_interval, std::chrono::milliseconds(1));
  return options;
}

}  // namespace symcached::net
