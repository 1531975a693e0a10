#pragma once
/// A source that says what the test tells it to, and counts how often it is asked.
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "fetch/source.hpp"

namespace symcached {

/// What a source says when it is asked; may be changed while it is.
class Says {
 public:
  using Function = std::function<fetch::Outcome(const fetch::Wanted&)>;

  Says(Function function) : function_(std::move(function)) {}
  Says& operator=(Function function) {
    const std::scoped_lock lock(mutex_);
    function_ = std::move(function);
    return *this;
  }
  fetch::Outcome operator()(const fetch::Wanted& wanted) const {
    std::unique_lock lock(mutex_);
    const Function now = function_;
    lock.unlock();
    return now(wanted);
  }

 private:
  mutable std::mutex mutex_;
  Function function_;
};

/// Outlives the source that speaks for it.
struct Script {
  Says open = Says([](const auto&) { return fetch::NotThere{}; });
  bool is_public = true;
  std::string id = {};
  std::string identity = {};
  std::string place = {};  ///< where a server has every file; empty: a folder, with a place for each
  std::uint64_t credentials = 0;
  std::atomic<int> opened = 0, identified = 0, forgotten = 0;
};

class ScriptedSource : public fetch::Source {
 public:
  ScriptedSource(std::string name, Script& script) : name_(std::move(name)), script_(script) {}
  const std::string& name() const override { return name_; }
  const std::string& key() const override { return name_; }
  const std::string& id() const override { return script_.id; }
  std::uint64_t credentials() const override { return script_.credentials; }
  bool is_local() const override { return script_.place.empty(); }
  bool is_public() const override { return script_.is_public; }
  Task<fetch::Outcome> open(fetch::Wanted wanted) override {
    ++script_.opened;
    co_return script_.open(wanted);
  }
  sources::Layout layout() const override { return sources::Layout::native; }
  std::vector<std::string> places(const fetch::Wanted& wanted) override {
    return {script_.place.empty() ? wanted.key : script_.place};
  }
  std::string location_of(std::string_view place) const override { return name_ + '/' + std::string(place); }
  Task<fetch::Outcome> open_place(fetch::Wanted wanted, std::string) override { return open(std::move(wanted)); }
  Task<std::string> identify(fetch::Wanted) override {
    ++script_.identified;
    co_return script_.identity;
  }
  void forget(const fetch::Wanted&) override { ++script_.forgotten; }

 private:
  const std::string name_;
  Script& script_;
};

}  // namespace symcached
