#include "fetch/http_worker.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "base/signals.hpp"

namespace symcached::fetch {
namespace {

using End = HttpResult::End;

constexpr int kLongestWait = 1000;  ///< milliseconds
constexpr int kLookAtHeads = 50;    ///< milliseconds; the wait when a transfer may be late with its head
constexpr const char* kShuttingDown = "given up, the server is shutting down";

CURLM* make_multi(const Limits& limits) {
  CURLM* const multi = curl().multi_init();
  if (multi == nullptr) throw std::bad_alloc();
  curl().multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.max_connections);
  curl().multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, limits.max_host_connections);
  return multi;
}

}  // namespace

HttpWorker::HttpWorker(const Limits& limits) : limits_(limits), multi_(make_multi(limits)) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (...) {
    curl().multi_cleanup(multi_);
    throw;
  }
}

HttpWorker::~HttpWorker() {
  stop();
  curl().multi_cleanup(multi_);
}

void HttpWorker::submit(Waiting transfers) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (!stopping_) submitted_.splice(submitted_.end(), transfers);
  }
  for (const auto& transfer : transfers) transfer->give_up(End::stopped, kShuttingDown);
  curl().multi_wakeup(multi_);  // should it fail, the thread looks again within a second
}

void HttpWorker::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  curl().multi_wakeup(multi_);
  if (thread_.joinable()) thread_.join();
}

void HttpWorker::run() noexcept {
  block_sigpipe();  // TLS writes to sockets in a way that raises it where the peer is gone
  while (take_submitted()) {
    try {
      start_waiting();
      int running = 0;
      check(curl().multi_perform(multi_, &running));
      finish_done();
      start_waiting();
      check(curl().multi_poll(multi_, nullptr, 0, longest_wait(), nullptr));
    } catch (...) {  // out of memory: the transfers end, the thread goes on
      end_all(End::exhausted, "out of memory");
    }
  }
  end_all(End::stopped, kShuttingDown);
}

/// libcurl has no timer for the head of an answer: its progress is looked at by every multi_perform().
int HttpWorker::longest_wait() const {
  const auto may_be_late = [](const auto& transfer) { return transfer.second->has_head_timeout(); };
  return std::ranges::any_of(active_, may_be_late) ? kLookAtHeads : kLongestWait;
}

/// @return false once the thread is to end
bool HttpWorker::take_submitted() {
  const std::scoped_lock lock(mutex_);
  may_start_ = may_start_ || !submitted_.empty();
  waiting_.splice(waiting_.end(), submitted_);
  return !stopping_;
}

/// Those that came first start first, but none beyond its host's share.
void HttpWorker::start_waiting() {
  if (!std::exchange(may_start_, false)) return;
  std::unordered_map<std::string, std::size_t> of_host;
  for (const auto& [handle, transfer] : active_) ++of_host[transfer->place()];
  for (auto at = waiting_.begin(); at != waiting_.end() && active_.size() < limits_.max_transfers;) {
    std::size_t& here = of_host[(*at)->place()];
    if (here >= (*at)->max_host_transfers()) {
      ++at;
      continue;
    }
    const auto next = std::next(at);
    Waiting one;
    one.splice(one.end(), waiting_, at);
    at = next;
    if (start(std::move(one.front()))) ++here;
  }
}

/// @return whether it is under way
bool HttpWorker::start(std::unique_ptr<Transfer> transfer) {
  CURL* const handle = transfer->start_hop();
  if (handle == nullptr) return false;
  const auto at = active_.emplace(handle, std::move(transfer)).first;
  const CURLMcode added = curl().multi_add_handle(multi_, handle);
  if (added == CURLM_OK) return true;
  at->second->give_up(End::exhausted, curl().multi_strerror(added));
  active_.erase(at);
  return false;
}

void HttpWorker::finish_done() {
  int left = 0;
  while (const CURLMsg* message = curl().multi_info_read(multi_, &left))
    if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
}

void HttpWorker::finish(CURL* handle, CURLcode code) {
  auto ended = active_.extract(handle);
  may_start_ = true;
  curl().multi_remove_handle(multi_, handle);
  Waiting one;
  one.push_back(std::move(ended.mapped()));
  if (one.front()->finish_hop(code)) waiting_.splice(waiting_.begin(), one);
}

void HttpWorker::check(CURLMcode code) {
  if (code == CURLM_OK) return;
  end_all(End::exhausted, curl().multi_strerror(code));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // or it might spin
}

void HttpWorker::end_all(End end, const char* why) {
  for (auto& [handle, transfer] : active_) {
    curl().multi_remove_handle(multi_, handle);
    transfer->give_up(end, why);
  }
  active_.clear();
  for (const auto& transfer : waiting_) transfer->give_up(end, why);
  waiting_.clear();
}

}  // namespace symcached::fetch
