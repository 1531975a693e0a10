#pragma once
/// What is wrong with a configuration, all of it.
#include <string>
#include <vector>

#include "config/yaml.hpp"

namespace symcached::config {

/// Texts hold no values of secrets.
class Report {
 public:
  void error(int line, std::string text) { add(errors_, line, std::move(text)); }
  void warning(int line, std::string text) { add(warnings_, line, std::move(text)); }

  const std::vector<Problem>& errors() const { return errors_; }
  const std::vector<Problem>& warnings() const { return warnings_; }
  /// There are so many errors that further ones would not be read.
  bool full() const { return errors_.size() >= kMost; }

 private:
  static constexpr std::size_t kMost = 100;

  static void add(std::vector<Problem>& to, int line, std::string text) {
    if (to.size() < kMost) to.push_back({line, std::move(text)});
  }

  std::vector<Problem> errors_, warnings_;
};

}  // namespace symcached::config
