#pragma once
/// A queue in which nobody's many wait in front of somebody else's one: one for each scope, taken from in turn.
#include <cstddef>
#include <deque>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace symcached::service {

/// Cost: constant per call, however many scopes there are.
template <class T>
class FairQueue {
 public:
  void push(const std::string& scope, T item) {
    const auto [found, is_new] = by_scope_.try_emplace(scope);
    if (is_new) found->second = turns_.insert(turns_.end(), Turn{scope, {}});
    found->second->items.push_back(std::move(item));
    ++size_;
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// Those that `is_it` says yes to are dropped. Cost: one look at each.
  template <class Is>
  void erase_if(const Is& is_it) {
    for (auto turn = turns_.begin(); turn != turns_.end();) {
      size_ -= std::erase_if(turn->items, is_it);
      if (!turn->items.empty()) {
        ++turn;
        continue;
      }
      by_scope_.erase(turn->scope);
      turn = turns_.erase(turn);
    }
  }

  /// The longest waiting item of the scope whose turn it is. Not to be called on an empty queue.
  T pop() {
    const auto turn = turns_.begin();
    T item = std::move(turn->items.front());
    turn->items.pop_front();
    --size_;
    if (turn->items.empty()) {
      by_scope_.erase(turn->scope);
      turns_.erase(turn);
    } else {
      turns_.splice(turns_.end(), turns_, turn);
    }
    return item;
  }

 private:
  struct Turn {
    std::string scope;
    std::deque<T> items;
  };
  std::list<Turn> turns_;  ///< the next one first; none is empty
  std::unordered_map<std::string, typename std::list<Turn>::iterator> by_scope_;
  std::size_t size_ = 0;
};

}  // namespace symcached::service
