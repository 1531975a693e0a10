#pragma once
/// What can be said of a request that is not done.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace symcached::service {

/// Bytes of partial answers that are kept, of all requests together.
struct PartialBudget {
  std::uint64_t limit = 0;
  std::atomic<std::uint64_t> used = 0;
};

/// Of one request. Safe to use from any thread.
class RequestProgress {
 public:
  /// A whole body; empty if nothing is to be said. What it needs, it keeps. @param retry_in  for the client
  using Make = std::function<std::string(std::string_view id, std::chrono::seconds retry_in)>;
  using Body = std::shared_ptr<const std::string>;

  static constexpr std::chrono::seconds kMakeAgain{1};

  explicit RequestProgress(std::shared_ptr<PartialBudget> budget) : budget_(std::move(budget)) {}
  RequestProgress(const RequestProgress&) = delete;
  RequestProgress& operator=(const RequestProgress&) = delete;
  ~RequestProgress() { budget_->used -= last_ ? last_->size() : 0; }

  /// From now on there is something to say.
  void offer(Make make);
  /// What was made within kMakeAgain, else made now, by one thread at a time; others get the one before.
  /// @return null: there is nothing, or no room for it
  Body partial(std::string_view id, std::chrono::seconds retry_in, std::chrono::steady_clock::time_point now);

 private:
  void keep(std::string body);

  const std::shared_ptr<PartialBudget> budget_;
  std::mutex mutex_;
  Make make_;
  Body last_;
  std::chrono::steady_clock::time_point make_again_{};
  bool is_making_ = false;
};

}  // namespace symcached::service
