#include "service/request_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <thread>

namespace symcached::service {
namespace {

constexpr std::chrono::seconds kMostHint{30};

/// A random UUID, as the protocol's clients expect ids to look; whoever knows one may read the answer.
std::string new_id() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = random();
  words[1] = (words[1] & 0xFFFF0FFF) | 0x4000;
  words[2] = (words[2] & 0x3FFFFFFF) | 0x80000000;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFF,
                     words[2] >> 16, words[2] & 0xFFFF, words[3]);
}

unsigned thread_count(unsigned wanted) { return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace

RequestTable::RequestTable(RequestOptions options, Log log)
    : options_(options),
      log_(std::move(log)),
      jobs_(pool_, options.jobs,
            {.run = [this](Named named) { return run(std::move(named)); },
             .on_fault = [this](const Named& named, const char* fault) -> SharedAnswer {
               log_(Severity::error, fmt::format("request {}: {}", named.id, fault == nullptr ? "out of memory" : fault));
               return std::make_shared<const RequestAnswer>(RequestAnswer{200, R"({"status":"internal_error"})"});
             }}),
      pool_(thread_count(options.threads)) {}

void RequestTable::stop() {
  jobs_.drain();
  pool_.stop();
  pool_.join();
}

Task<RequestTable::Outcome> RequestTable::ask(std::string scope, Work work, std::chrono::milliseconds hold) {
  const std::string id = new_id();
  Named named{id, std::make_shared<const Work>(std::move(work))};
  auto result = co_await jobs_.find(id, std::move(scope), std::move(named), hold);
  if (result) {
    forget(id);  // nobody was told the id
    co_return std::move(*result);
  }
  if (result.error() == NoResult::overloaded) co_return Overloaded{};
  co_return Pending{id, hint()};
}

Task<RequestTable::Outcome> RequestTable::poll(std::string id, std::chrono::milliseconds hold) {
  auto result = co_await jobs_.join(id, hold);
  if (result) co_return std::move(*result);
  if (auto answer = kept(id)) co_return answer;
  if (!jobs_.is_under_way(id)) co_return Unknown{};
  co_return Pending{std::move(id), hint()};
}

Task<SharedAnswer> RequestTable::run(Named named) {
  RequestAnswer answer = co_await (*named.work)();
  auto shared = std::make_shared<const RequestAnswer>(std::move(answer));
  keep(named.id, shared);
  co_return shared;
}

void RequestTable::keep(const std::string& id, SharedAnswer answer) {
  std::list<Kept> dropped;  // freed when the lock is no longer held
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  bytes_ += answer->body.size();
  order_.push_back({id, std::move(answer), now + options_.kept});
  by_id_[id] = std::prev(order_.end());
  while (!order_.empty() && (bytes_ > options_.memory || order_.front().until <= now)) {
    bytes_ -= order_.front().answer->body.size();
    by_id_.erase(order_.front().id);
    dropped.splice(dropped.end(), order_, order_.begin());
  }
}

SharedAnswer RequestTable::kept(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || found->second->until <= std::chrono::steady_clock::now()) return nullptr;
  return found->second->answer;
}

void RequestTable::forget(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  bytes_ -= found->second->answer->body.size();
  order_.erase(found->second);
  by_id_.erase(found);
}

std::chrono::seconds RequestTable::hint() const {
  const auto counts = jobs_.counts();
  const std::size_t waiting = counts.jobs - std::min(counts.jobs, counts.active);
  return std::min(kMostHint, std::chrono::seconds(1 + waiting / std::max<std::size_t>(1, options_.jobs.max_active)));
}

}  // namespace symcached::service
