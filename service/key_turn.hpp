#pragma once
/// One process makes an entry at a time; the others wait for it. Private to `service/`.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <optional>

#include "net/task.hpp"
#include "store/store.hpp"

namespace symcached::service {

inline constexpr std::chrono::milliseconds kTurnPoll{100};  ///< how often to see whether another process is done
inline constexpr int kMostTurnPolls = 6000;                 ///< then it is done a second time rather than not at all

/// Waits for the lock of `key`. Nothing if somebody had it all the time.
inline Task<std::optional<store::KeyLocks::Guard>> wait_for_turn(store::Store& store, store::EntryKey key) {
  for (int polls = 0;; ++polls) {
    auto mine = store.try_lock(key);
    if (mine || polls == kMostTurnPolls) co_return mine;
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, kTurnPoll);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

}  // namespace symcached::service
