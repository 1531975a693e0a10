#pragma once
/// The thread that runs transfers through libcurl's multi interface, so many at once and per host as the limits say.
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "fetch/transfer.hpp"

namespace symcached::fetch {

class HttpWorker {
 public:
  /// `limits` outlive it. Throws if there is no thread or memory to be had.
  explicit HttpWorker(const Limits& limits);
  ~HttpWorker();
  HttpWorker(const HttpWorker&) = delete;
  HttpWorker& operator=(const HttpWorker&) = delete;

  using Waiting = std::list<std::unique_ptr<Transfer>>;

  /// From any thread. Once the worker was stopped they are given up at once.
  void submit(Waiting transfers) noexcept;
  /// From any other thread: ends all transfers; afterwards none of them calls anybody.
  void stop();

 private:
  void run() noexcept;
  int longest_wait() const;
  bool take_submitted();
  void start_waiting();
  bool start(std::unique_ptr<Transfer> transfer);
  void finish_done();
  void finish(CURL* handle, CURLcode code);
  void check(CURLMcode code);
  void end_all(HttpResult::End end, const char* why);

  const Limits& limits_;
  CURLM* const multi_;

  // The thread's own.
  Waiting waiting_;  ///< in the order they came; those of a host that has its share are passed over
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> active_;
  bool may_start_ = false;  ///< something came or ended since the last look at waiting_

  std::mutex mutex_;
  Waiting submitted_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace symcached::fetch
