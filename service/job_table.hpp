#pragma once
/// Work by name: one computation of a name at a time, however many ask for it; bounded, and fair among scopes. Private
/// to `service/`.
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <exception>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>

#include "net/task.hpp"
#include "service/fair_queue.hpp"
#include "service/job.hpp"

namespace symcached::service {

/// For those who wait as long as it takes: whoever asked them gives up sooner.
inline constexpr std::chrono::hours kNoLimit{24};

struct JobLimits {
  std::size_t max_jobs = 4096;  ///< names worked on or queued at once
  std::size_t max_active = 64;  ///< of them, worked on
  std::size_t max_held = 1024;  ///< callers that wait for a result
};

/// Of this moment.
struct JobCounts {
  std::size_t jobs = 0, active = 0, held = 0;  ///< as JobLimits has them
  bool draining = false;
};

/// Why a caller gets no result now.
enum class NoResult : std::uint8_t { pending, overloaded };

/// The work belongs to the name: it goes on when the one who asked is gone. Safe to use from any thread.
template <class Work, class Result>
class JobTable {
 public:
  struct Actions {
    std::function<Task<Result>(Work)> run;  ///< on a thread of the pool
    /// What run() threw, in words; nothing when memory ran out. Allocates nothing then.
    std::function<Result(const Work& work, const char* fault)> on_fault;
    std::function<void()> on_finish = [] {};  ///< after each, on a thread of the pool
  };

  /// `pool` outlives the jobs, which outlive what is under way: drain(), then join the pool.
  JobTable(boost::asio::thread_pool& pool, JobLimits limits, Actions actions)
      : pool_(pool), limits_(limits), actions_(std::move(actions)) {}

  /// @param hold  how long to wait for work that is not done
  Task<std::expected<Result, NoResult>> find(std::string name, std::string scope, Work work,
                                             std::chrono::milliseconds hold) {
    auto job = join_or_start(std::move(name), scope, std::move(work));
    if (!job) co_return std::unexpected(NoResult::overloaded);
    const Held held(held_);
    if (hold > std::chrono::milliseconds(0) && held.before() >= limits_.max_held)
      co_return std::unexpected(NoResult::overloaded);
    auto result = co_await OneJob::wait(std::move(job), hold);
    if (!result) co_return std::unexpected(NoResult::pending);
    co_return std::move(*result);
  }
  /// Sees to it that the work is done, and waits for nothing. @return whether it will be
  bool begin(std::string name, const std::string& scope, Work work) {
    return join_or_start(std::move(name), scope, std::move(work)) != nullptr;
  }

  /// Nobody wants it any more: who waits is pending, and what is queued is dropped. What is worked on goes on; it
  /// counts no longer, unless as many as may be active go on like that.
  /// @return whether there is such work
  bool abandon(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    const auto found = jobs_.find(name);
    if (found == jobs_.end()) return false;
    found->second.job->release();
    if (!found->second.is_active) {
      waiting_.erase_if([&](const Waiting& waiting) { return waiting.name == name; });
      jobs_.erase(found);
    } else if (abandoned_ < limits_.max_active) {
      jobs_.erase(found);
      ++abandoned_;
      --active_;
      start_next();
    }
    return true;
  }

  bool is_under_way(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    return jobs_.contains(name);
  }

  /// Everybody who waits is pending, what is queued is dropped, nothing is begun any more.
  void drain() {
    FairQueue<Waiting> dropped;
    const std::scoped_lock lock(mutex_);
    draining_ = true;
    std::swap(dropped, waiting_);
    while (!dropped.empty()) {
      const Waiting waiting = dropped.pop();
      jobs_.erase(waiting.name);
      waiting.job->release();
    }
    for (const auto& [name, known] : jobs_) known.job->release();
  }

  JobCounts counts() const {
    const std::scoped_lock lock(mutex_);
    return {jobs_.size(), active_, held_.load(), draining_};
  }

 private:
  using OneJob = Job<Result>;
  struct Known {
    std::shared_ptr<OneJob> job;
    bool is_active = false;
  };
  struct Waiting {
    std::string name;
    Work work;
    std::shared_ptr<OneJob> job;
  };

  /// Counts a caller that waits, while it does.
  class Held {
   public:
    explicit Held(std::atomic<std::size_t>& count) : count_(count), before_(count.fetch_add(1)) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { --count_; }
    std::size_t before() const { return before_; }

   private:
    std::atomic<std::size_t>& count_;
    const std::size_t before_;
  };

  std::shared_ptr<OneJob> join_or_start(std::string name, const std::string& scope, Work work) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = jobs_.find(name); found != jobs_.end()) return found->second.job;
    if (draining_ || jobs_.size() >= limits_.max_jobs) return nullptr;
    auto job = std::make_shared<OneJob>();
    jobs_.emplace(name, Known{job});
    Waiting waiting{std::move(name), std::move(work), job};
    if (active_ < limits_.max_active) start(std::move(waiting));
    else waiting_.push(scope, std::move(waiting));
    return job;
  }

  /// Under the lock, so the work is posted: co_spawn() from a thread of the pool would begin it at once.
  void start(Waiting waiting) {
    try {
      boost::asio::post(pool_, [this, waiting] {
        try {
          boost::asio::co_spawn(pool_, run(waiting), boost::asio::detached);
        } catch (const std::bad_alloc&) {
          finish(waiting, actions_.on_fault(waiting.work, nullptr));
        }
      });
      ++active_;
      jobs_.at(waiting.name).is_active = true;
    } catch (const std::bad_alloc&) {
      jobs_.erase(waiting.name);
      waiting.job->finish(actions_.on_fault(waiting.work, nullptr));
    }
  }

  Task<void> run(Waiting waiting) {
    std::optional<Result> result;
    try {
      result = co_await actions_.run(waiting.work);
    } catch (const std::bad_alloc&) {
      result = actions_.on_fault(waiting.work, nullptr);
    } catch (const std::exception& fault) {
      result = actions_.on_fault(waiting.work, fault.what());
    }
    finish(waiting, std::move(*result));
  }

  /// Under the lock.
  void start_next() {
    if (!waiting_.empty()) start(waiting_.pop());
  }

  void finish(const Waiting& waiting, Result result) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = jobs_.find(waiting.name);
      if (known == jobs_.end() || known->second.job != waiting.job) {
        --abandoned_;
      } else {
        jobs_.erase(known);
        --active_;
        start_next();
      }
    }
    waiting.job->finish(std::move(result));
    actions_.on_finish();
  }

  boost::asio::thread_pool& pool_;
  const JobLimits limits_;
  const Actions actions_;
  std::atomic<std::size_t> held_ = 0;
  mutable std::mutex mutex_;
  bool draining_ = false;
  std::unordered_map<std::string, Known> jobs_;
  FairQueue<Waiting> waiting_;  ///< for their turn; they are among jobs_
  std::size_t active_ = 0;
  std::size_t abandoned_ = 0;  ///< worked on, and not among jobs_
};

}  // namespace symcached::service
