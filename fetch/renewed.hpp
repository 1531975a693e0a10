#pragma once
/// Something that is good for a while and costs a question to renew: a token, temporary keys.
#include <chrono>
#include <expected>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "net/task.hpp"

namespace symcached::fetch {

/// However many ask, one question is under way; all who wait get its answer. Outlives every get(). Any thread.
template <class T>
class Renewed {
 public:
  using Clock = std::chrono::system_clock;
  struct Fresh {
    T value;
    Clock::time_point until;  ///< when to renew it
  };
  using Answer = std::expected<T, std::string>;
  using Ask = std::function<Task<std::expected<Fresh, std::string>>()>;

  explicit Renewed(Ask ask, std::function<Clock::time_point()> now = Clock::now)
      : ask_(std::move(ask)), now_(std::move(now)) {}

  Task<Answer> get() {
    switch (join()) {
      case Part::has: co_return known();
      case Part::waits: {
        std::function<void(std::function<void(Answer)>)> start = [this](auto done) { wait(std::move(done)); };
        co_return co_await await_callback<Answer>(std::move(start));
      }
      case Part::asks: break;
    }
    std::expected<Fresh, std::string> fresh = std::unexpected(std::string("out of memory"));
    try {
      fresh = co_await ask_();
    } catch (...) {  // those who wait must hear of it
    }
    co_return tell(std::move(fresh));
  }

  /// What is known now, whether or not it is still good.
  T latest() const {
    const std::scoped_lock lock(mutex_);
    return value_;
  }

 private:
  static constexpr std::chrono::seconds kErrorLasts{10};
  enum class Part : std::uint8_t { has, waits, asks };

  Part join() {
    const std::scoped_lock lock(mutex_);
    if (now_() < until_) return Part::has;
    return std::exchange(asking_, true) ? Part::waits : Part::asks;
  }
  Answer known() const {
    const std::scoped_lock lock(mutex_);
    return error_.empty() ? Answer(value_) : std::unexpected(error_);
  }
  void wait(std::function<void(Answer)> done) {
    {
      const std::scoped_lock lock(mutex_);
      if (asking_) {
        waiting_.push_back(std::move(done));
        return;
      }
    }
    done(known());
  }
  Answer tell(std::expected<Fresh, std::string> fresh) {
    std::vector<std::function<void(Answer)>> waiting;
    {
      const std::scoped_lock lock(mutex_);
      asking_ = false;
      waiting.swap(waiting_);
      until_ = fresh ? fresh->until : now_() + kErrorLasts;
      error_ = fresh ? std::string() : std::move(fresh.error());
      if (fresh) value_ = std::move(fresh->value);
    }
    for (const auto& done : waiting) done(known());
    return known();
  }

  const Ask ask_;
  const std::function<Clock::time_point()> now_;
  mutable std::mutex mutex_;
  bool asking_ = false;
  Clock::time_point until_{};
  T value_{};
  std::string error_;
  std::vector<std::function<void(Answer)>> waiting_;
};

}  // namespace symcached::fetch
