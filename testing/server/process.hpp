#pragma once
/// What tests ask of their own process: limits for a while, and who its children are.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/descriptor.hpp"

namespace symcached {

/// The soft limit of a resource, set for as long as this lives.
class ScopedLimit {
 public:
  ScopedLimit(__rlimit_resource what, rlim_t value) : what_(what) {
    EXPECT_EQ(::getrlimit(what_, &before_), 0);
    const rlimit now{value, before_.rlim_max};
    EXPECT_EQ(::setrlimit(what_, &now), 0);
  }
  ScopedLimit(const ScopedLimit&) = delete;
  ScopedLimit& operator=(const ScopedLimit&) = delete;
  ~ScopedLimit() { ::setrlimit(what_, &before_); }

 private:
  const __rlimit_resource what_;
  rlimit before_{};
};

/// No descriptor is left, for as long as this lives.
class NoDescriptors {
 private:
  static rlim_t lowest_free() { return static_cast<rlim_t>(Descriptor(::dup(0)).get()); }
  ScopedLimit limit_{RLIMIT_NOFILE, lowest_free()};
};

/// Processes started by this one that it has not waited for.
inline std::size_t children() {
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t pid = 0; file >> pid;) ++count;
  }
  return count;
}

}  // namespace symcached
