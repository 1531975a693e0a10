#pragma once
/// SHA-256, over pieces or at once.
#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "base/bytes.hpp"

namespace symcached::store {

using Sha256 = std::array<std::byte, 32>;

class Sha256Hasher {
 public:
  Sha256Hasher();
  void update(Bytes data);
  Sha256 finish();  ///< once, at the end

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

Sha256 sha256(Bytes data);

}  // namespace symcached::store
