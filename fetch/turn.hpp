#pragma once
/// One coroutine at a time, the others in the order in which they came; no thread waits.
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "net/task.hpp"

namespace symcached::fetch {

class Turn {
 public:
  /// Held until it is dropped, which may happen on any thread.
  class Held {
   public:
    explicit Held(Turn& turn) : turn_(&turn) {}
    Held(Held&& other) noexcept : turn_(std::exchange(other.turn_, nullptr)) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (turn_ != nullptr) turn_->leave();
    }

   private:
    Turn* turn_;
  };

  /// The turn outlives all who wait for it.
  Task<Held> take() {
    std::function<void(Go)> start = [this](Go go) { enter(std::move(go)); };
    co_await await_callback<bool>(std::move(start));
    co_return Held(*this);
  }

 private:
  using Go = std::function<void(bool)>;

  void enter(Go go) {
    {
      const std::scoped_lock lock(mutex_);
      if (is_taken_) {
        waiting_.push_back(std::move(go));
        return;
      }
      is_taken_ = true;
    }
    go(true);
  }
  void leave() {
    Go next;
    {
      const std::scoped_lock lock(mutex_);
      if (waiting_.empty()) {
        is_taken_ = false;
        return;
      }
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next(true);
  }

  std::mutex mutex_;
  bool is_taken_ = false;
  std::deque<Go> waiting_;
};

}  // namespace symcached::fetch
