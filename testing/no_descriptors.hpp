#pragma once
/// A process that has no descriptor left, for as long as this lives.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/descriptor.hpp"

namespace symcached {

class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(Descriptor(::dup(0)).get());  // the lowest free one
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace symcached
