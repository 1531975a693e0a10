#pragma once
/// Requests that take longer than a client waits: known by an id, their answers kept for a while.
#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>

#include "net/log.hpp"
#include "net/task.hpp"
#include "service/job_table.hpp"
#include "service/request_answer.hpp"
#include "service/request_progress.hpp"
#include "store/store.hpp"

namespace symcached::service {

struct RequestOptions {
  JobLimits jobs = {.max_jobs = 200, .max_active = 64, .max_held = 4096};
  unsigned threads = 0;                ///< 0: one per processor
  std::chrono::seconds kept{90};       ///< answers that were not fetched, and those that were
  std::uint64_t memory = 64ull << 20;  ///< bytes of answers that are kept; and as many of partial ones
};

/// An id that a client was told is good for as long as its answer is kept, also after a restart, and at every server
/// that shares the cache directory: what is to be done is kept on disk until it is done, then the answer is. Whoever is
/// asked for one that nobody works on any more begins anew. Safe to use from any thread.
class RequestTable {
 public:
  /// A request, as text that says all of it.
  using Text = std::shared_ptr<const std::string>;
  /// Makes the answer, on a thread that may wait for the disk.
  /// @param progress  for what can be said before it is done
  using Answer = std::function<Task<RequestAnswer>(Text, std::shared_ptr<RequestProgress> progress)>;
  /// Called when an answer was made, from a thread of the table.
  using OnEnd = std::function<void(const RequestEnd& end)>;
  /// What a client is told now.
  struct Pending {
    std::string id;
    std::chrono::seconds retry_in;
    RequestProgress::Body partial = nullptr;  ///< null: not asked for, or there is none
  };
  struct Overloaded {};
  struct Unknown {};
  using Outcome = std::variant<SharedAnswer, Pending, Overloaded, Unknown>;

  /// `store` outlives it.
  RequestTable(
      store::Store& store, Answer answer, RequestOptions options, Log log, OnEnd on_end = [](const RequestEnd&) {});
  ~RequestTable() { stop(); }

  /// Begins, and waits. @param scope  requests of different scopes take turns
  /// @param partial  those who are told to come back get what is known by then
  Task<Outcome> ask(std::string scope, Text text, std::chrono::milliseconds hold, bool partial = false);
  /// Waits for one that was begun.
  Task<Outcome> poll(std::string id, std::chrono::milliseconds hold, bool partial = false);
  /// Forgets one, with its answer. What it began for others goes on. @return whether there was one
  Task<bool> cancel(std::string id);
  JobCounts counts() const { return jobs_.counts(); }
  RequestStats stats() const;
  /// Everybody who waits is pending, what is queued is dropped.
  void drain() { jobs_.drain(); }
  void stop();

 private:
  struct Named {
    std::string id;
    Text text = nullptr;  ///< null: on disk
    std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
  };
  struct Kept {
    std::string id;
    SharedAnswer answer;
    std::chrono::steady_clock::time_point until;
  };
  Task<SharedAnswer> run(Named named);
  Task<SharedAnswer> work(Named named);
  SharedAnswer after_fault(const Named& named, const char* fault);
  Overloaded refused();
  Task<Outcome> pending(std::string id, bool partial);
  template <class T>
  Task<T> on_pool(std::string id, std::function<T()> work);
  bool forget_work(const std::string& id);
  bool remove_from_disk(const std::string& id);
  bool is_cancelled(const std::string& id);
  void tell(const Named& named);
  bool is_told(const std::string& id);
  SharedAnswer on_disk(const std::string& id);
  void keep(const std::string& id, SharedAnswer answer);
  SharedAnswer kept(const std::string& id);
  bool forget(const std::string& id);
  std::chrono::seconds hint() const;

  store::Store& store_;
  const Answer answer_;
  const RequestOptions options_;
  const Log log_;
  const OnEnd on_end_;
  std::atomic<std::uint64_t> refused_ = 0, cancelled_count_ = 0;
  mutable std::mutex mutex_;
  std::unordered_set<std::string> told_;  ///< ids that clients were told, of what is worked on
  std::list<Kept> order_;                 ///< the oldest first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_id_;
  std::uint64_t bytes_ = 0;
  const std::shared_ptr<PartialBudget> partial_budget_;
  std::unordered_map<std::string, std::shared_ptr<RequestProgress>> progress_;  ///< of what is worked on
  std::deque<std::string> cancelled_;                                           ///< the last few
  std::size_t working_ = 0;       ///< answers that are being made, those that were cancelled too
  std::condition_variable idle_;  ///< nothing is worked on; with mutex_
  std::atomic<int> on_pool_ = 0;  ///< posted: requests on their way to the disk, partial answers
  JobTable<Named, SharedAnswer> jobs_;
  boost::asio::thread_pool pool_;
};

}  // namespace symcached::service
