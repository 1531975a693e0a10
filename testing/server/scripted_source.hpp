#pragma once
/// A source that says what the test tells it to, and counts how often it is asked.
#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "fetch/source.hpp"

namespace symcached {

/// Outlives the source that speaks for it.
struct Script {
  std::function<fetch::Outcome(const fetch::Wanted&)> open = [](const auto&) { return fetch::NotThere{}; };
  bool is_public = true;
  std::string identity = {};
  std::uint64_t credentials = 0;
  std::atomic<int> opened = 0, identified = 0, forgotten = 0;
};

class ScriptedSource : public fetch::Source {
 public:
  ScriptedSource(std::string name, Script& script) : name_(std::move(name)), script_(script) {}
  const std::string& name() const override { return name_; }
  std::uint64_t credentials() const override { return script_.credentials; }
  bool is_local() const override { return true; }
  bool is_public() const override { return script_.is_public; }
  Task<fetch::Outcome> open(fetch::Wanted wanted) override {
    ++script_.opened;
    co_return script_.open(wanted);
  }
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
