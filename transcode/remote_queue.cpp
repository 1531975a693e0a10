#include "transcode/remote_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

constexpr std::size_t kMostWords = 4096;  ///< bytes of what a worker says went wrong

}  // namespace

std::string RemoteQueue::key_of(const RemoteJob& job) {
  return fmt::format("{}/{}/{}", lower_ascii(job.pdb_name), wpt::folder_name(job.id), job.major_part);
}

Offered RemoteQueue::offer(RemoteJob job) {
  std::string key = key_of(job);
  if (jobs_.contains(key)) return Offered::known;
  if (jobs_.size() >= rules_.most_jobs) return Offered::full;
  waiting_.push_back(key);
  jobs_.emplace(std::move(key), Entry{std::move(job)});
  return Offered::queued;
}

std::optional<Lease> RemoteQueue::take(std::string_view worker, std::span<const std::uint32_t> majors, RemoteTime now) {
  const auto can_do = [&](const std::string& key) {
    return std::ranges::find(majors, jobs_.at(key).job.major_part) != majors.end();
  };
  const auto found = std::ranges::find_if(waiting_, can_do);
  if (found == waiting_.end()) return std::nullopt;
  std::string key = std::move(*found);
  waiting_.erase(found);
  const RemoteTime until = now + rules_.lease;
  Lease lease{random_(), jobs_.at(key).job, until};
  leases_.emplace(lease.id, Leased{std::move(key), std::string(worker), until, now + rules_.longest});
  return lease;
}

std::expected<RemoteTime, Unknown> RemoteQueue::renew(std::string_view lease, RemoteTime now) {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || found->second.until < now) return std::unexpected(Unknown{});
  return found->second.until = std::min(now + rules_.lease, found->second.longest);
}

std::optional<RemoteJob> RemoteQueue::find(std::string_view lease) const {
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return std::nullopt;
  return jobs_.at(found->second.key).job;
}

/// The job, which is gone afterwards.
std::optional<RemoteJob> RemoteQueue::end(std::string_view lease) {
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return std::nullopt;
  auto node = jobs_.extract(found->second.key);
  leases_.erase(found);
  return std::move(node.mapped().job);
}

std::expected<RemoteMade, Unknown> RemoteQueue::complete(std::string_view lease, const wpt::Version& version) {
  auto job = end(lease);
  if (!job) return std::unexpected(Unknown{});
  return RemoteMade{std::move(*job), version};
}

std::expected<RemoteFailed, Unknown> RemoteQueue::fail(std::string_view lease, std::string_view why) {
  auto job = end(lease);
  if (!job) return std::unexpected(Unknown{});
  return RemoteFailed{std::move(*job), escaped(why.substr(0, kMostWords))};
}

std::vector<RemoteLost> RemoteQueue::expire(RemoteTime now) {
  std::vector<RemoteLost> lost;
  std::vector<std::pair<RemoteTime, std::string>> again;  // in the order in which they ran out
  std::erase_if(leases_, [&](auto& row) {
    if (row.second.until > now) return false;
    again.emplace_back(row.second.until, std::move(row.second.key));
    return true;
  });
  std::ranges::sort(again, std::greater<>());
  for (auto& [until, key] : again) {
    const auto entry = jobs_.find(key);
    if (++entry->second.leases_lost < rules_.attempts) {
      waiting_.push_front(std::move(key));
    } else {
      lost.push_back({std::move(entry->second.job)});
      jobs_.erase(entry);
    }
  }
  return lost;
}

void RemoteQueue::withdraw(const RemoteJob& job) {
  const std::string key = key_of(job);
  if (jobs_.erase(key) == 0) return;
  std::erase(waiting_, key);
  std::erase_if(leases_, [&](const auto& row) { return row.second.key == key; });
}

std::optional<RemoteTime> RemoteQueue::next_expiry() const {
  const auto first = std::ranges::min_element(leases_, {}, [](const auto& row) { return row.second.until; });
  return first == leases_.end() ? std::nullopt : std::optional(first->second.until);
}

}  // namespace symcached::transcode
