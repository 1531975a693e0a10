#pragma once
/// Bytes that are owned, of a size known when they are made, and not zeroed first.
#include <cstddef>
#include <memory>

#include "base/bytes.hpp"

namespace symcached {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : data_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  std::byte* data() { return data_.get(); }
  Bytes bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }
  /// Gives up the tail; the memory stays.
  void shrink(std::size_t size) { size_ = size < size_ ? size : size_; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

}  // namespace symcached
