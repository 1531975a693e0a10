#pragma once
/// Bytes that are owned, of a size known when they are made, and not zeroed first.
#include <cstddef>
#include <memory>

#include "base/bytes.hpp"

namespace symcached {

/// Large ones lie on large pages where the system has them: a section of 400 MB is otherwise 100,000 page faults.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size);

  std::byte* data() { return data_.get(); }
  Bytes bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  /// Gives up the tail; the memory stays.
  void shrink(std::size_t size) { size_ = size < size_ ? size : size_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace symcached
