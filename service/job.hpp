#pragma once
/// One computation and everybody who waits for it. Private to `service/`.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "net/task.hpp"

namespace symcached::service {

/// Set once from any thread; waited for by coroutines whose executors run one thing at a time each.
template <class Result>
class Job {
 public:
  void finish(Result result) {
    const std::scoped_lock lock(mutex_);
    result_ = std::move(result);
    wake_all();
  }
  /// Waiters go on without a result; later ones do not wait.
  void release() {
    const std::scoped_lock lock(mutex_);
    released_ = true;
    wake_all();
  }

  /// @return the result, or nothing after `limit` or release()
  static Task<std::optional<Result>> wait(std::shared_ptr<Job> job, std::chrono::milliseconds limit) {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    const auto timer = std::make_shared<asio::steady_timer>(executor, limit);
    const Waiter waiter(*job, timer);
    boost::system::error_code ignored;
    if (waiter.must_wait) co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    const std::scoped_lock lock(job->mutex_);
    co_return job->result_;
  }

 private:
  using Timer = std::shared_ptr<boost::asio::steady_timer>;

  /// Keeps a timer on the list, also when the waiting coroutine is destroyed instead of resumed.
  struct Waiter {
    Waiter(Job& its_job, Timer its_timer) : job(its_job), timer(std::move(its_timer)) {
      const std::scoped_lock lock(job.mutex_);
      must_wait = !job.result_ && !job.released_;
      if (must_wait) job.waiters_.insert(timer);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      const std::scoped_lock lock(job.mutex_);
      job.waiters_.erase(timer);
    }
    Job& job;
    Timer timer;
    bool must_wait = false;
  };

  /// Moving the expiry to the past also covers a waiter that has registered but not begun its wait.
  void wake_all() {
    for (const Timer& timer : waiters_)
      boost::asio::post(timer->get_executor(),
                        [timer] { timer->expires_at(std::chrono::steady_clock::time_point::min()); });
  }

  std::mutex mutex_;
  std::optional<Result> result_;
  bool released_ = false;
  std::set<Timer> waiters_;
};

}  // namespace symcached::service
