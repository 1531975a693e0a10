#pragma once
/// What a reload changes.
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/row.hpp"

namespace symcached::config {

struct Change {
  std::string key;
  Use use;
};

/// The keys whose values differ.
std::vector<Change> changes(Config before, Config after);

}  // namespace symcached::config
