#include "fetch/host_health.hpp"

#include <algorithm>
#include <string_view>

#include "base/ascii.hpp"

namespace symcached::fetch {
namespace {

constexpr std::size_t kMaxHosts = 4096;
constexpr std::chrono::seconds kProbeTakes{1};

}  // namespace

HostHealth::HostHealth(BreakerRules rules, std::function<Clock::time_point()> now)
    : rules_(std::move(rules)), now_(std::move(now)) {}

void HostHealth::Ticket::report(Sign sign, std::optional<std::chrono::seconds> retry_after) {
  if (health_ == nullptr) return;
  std::exchange(health_, nullptr)->report(host_, is_probe_, sign, retry_after);
}

std::optional<std::chrono::seconds> HostHealth::pause_of(const Host& host) const {
  const Clock::time_point now = now_(), until = std::max(host.ill_until, host.asked_until);
  if (until > now) return std::chrono::ceil<std::chrono::seconds>(until - now);
  if (host.probing) return kProbeTakes;
  return std::nullopt;
}

std::optional<std::chrono::seconds> HostHealth::pause(const std::string& host) const {
  const std::scoped_lock lock(mutex_);
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? std::nullopt : pause_of(found->second);
}

std::expected<HostHealth::Ticket, std::chrono::seconds> HostHealth::begin(const std::string& host) {
  const std::scoped_lock lock(mutex_);
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return Ticket(*this, host, false);
  if (const auto pause = pause_of(found->second)) return std::unexpected(*pause);
  const bool is_probe = found->second.pauses != 0;
  found->second.probing = is_probe;
  return Ticket(*this, host, is_probe);
}

void HostHealth::report(const std::string& host, bool is_probe, Sign sign,
                        std::optional<std::chrono::seconds> retry_after) {
  const std::scoped_lock lock(mutex_);
  if (sign != Sign::ill && !retry_after && !hosts_.contains(host)) return;
  make_room();
  Host& known = hosts_[host];
  if (is_probe) known.probing = false;
  if (sign == Sign::ill && !is_spared(host)) fail(known, is_probe);
  if (sign == Sign::well) known = Host{.asked_until = known.asked_until};
  if (retry_after) known.asked_until = std::max(known.asked_until, now_() + *retry_after);
  if (sign == Sign::well && known.asked_until <= now_()) hosts_.erase(host);
}

std::size_t HostHealth::left_alone() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(hosts_, [&](const auto& one) { return pause_of(one.second).has_value(); }));
}

/// @param host  "name:port", "[::1]:port"
bool HostHealth::is_spared(const std::string& host) const {
  std::string_view name = std::string_view(host).substr(0, host.rfind(':'));
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return std::ranges::any_of(rules_.never,
                             [&](const std::string& spared) { return lower_ascii(spared) == lower_ascii(name); });
}

/// What was under way when the pause began says nothing new.
void HostHealth::fail(Host& host, bool is_probe) {
  if (rules_.threshold == 0 || (host.pauses != 0 && !is_probe)) return;
  if (++host.failures < rules_.threshold && !is_probe) return;
  const unsigned doublings = std::min(host.pauses++, 20u);
  host.ill_until = now_() + std::min(rules_.first * (1 << doublings), rules_.most);
}

void HostHealth::make_room() {
  if (hosts_.size() < kMaxHosts) return;
  std::erase_if(hosts_, [&](const auto& one) { return !pause_of(one.second); });
  if (hosts_.size() >= kMaxHosts) hosts_.clear();
}

}  // namespace symcached::fetch
