#pragma once
/// Requests that take longer than a client waits: known by an id, their answers kept for a while.
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "net/log.hpp"
#include "net/task.hpp"
#include "service/job_table.hpp"

namespace symcached::service {

/// An answer as it is sent.
struct RequestAnswer {
  unsigned status = 200;
  std::string body;
};
using SharedAnswer = std::shared_ptr<const RequestAnswer>;

struct RequestOptions {
  JobLimits jobs = {.max_jobs = 200, .max_active = 64, .max_held = 4096};
  unsigned threads = 0;                     ///< 0: one per processor
  std::chrono::seconds kept{90};            ///< answers that were not fetched, and those that were
  std::uint64_t memory = 64ull << 20;       ///< bytes of answers that are kept
};

/// Safe to use from any thread.
class RequestTable {
 public:
  /// Makes the answer, on a thread that may wait for the disk.
  using Work = std::function<Task<RequestAnswer>()>;
  /// What a client is told now.
  struct Pending {
    std::string id;
    std::chrono::seconds retry_in;
  };
  struct Overloaded {};
  struct Unknown {};
  using Outcome = std::variant<SharedAnswer, Pending, Overloaded, Unknown>;

  RequestTable(RequestOptions options, Log log);
  ~RequestTable() { stop(); }

  /// Begins, and waits. @param scope  requests of different scopes take turns
  Task<Outcome> ask(std::string scope, Work work, std::chrono::milliseconds hold);
  /// Waits for one that was begun.
  Task<Outcome> poll(std::string id, std::chrono::milliseconds hold);
  JobCounts counts() const { return jobs_.counts(); }
  /// Everybody who waits is pending, what is queued is dropped.
  void drain() { jobs_.drain(); }
  void stop();

 private:
  struct Named {
    std::string id;
    std::shared_ptr<const Work> work = nullptr;
  };
  struct Kept {
    std::string id;
    SharedAnswer answer;
    std::chrono::steady_clock::time_point until;
  };
  Task<SharedAnswer> run(Named named);
  void keep(const std::string& id, SharedAnswer answer);
  SharedAnswer kept(const std::string& id);
  void forget(const std::string& id);
  std::chrono::seconds hint() const;

  const RequestOptions options_;
  const Log log_;
  std::mutex mutex_;
  std::list<Kept> order_;  ///< the oldest first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_id_;
  std::uint64_t bytes_ = 0;
  JobTable<Named, SharedAnswer> jobs_;
  boost::asio::thread_pool pool_;
};

}  // namespace symcached::service
