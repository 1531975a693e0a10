#include "base/buffer.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace symcached {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kWorthIt = 4 * kLargePage;

}  // namespace

Buffer::Buffer(std::size_t size) : size_(size) {
  if (size == 0) return;
  void* memory = nullptr;
  if (size >= kWorthIt) {
    memory = std::aligned_alloc(kLargePage, (size + kLargePage - 1) / kLargePage * kLargePage);
    if (memory != nullptr) ::madvise(memory, size, MADV_HUGEPAGE);  // a wish: without it all is well, and slower
  } else {
    memory = std::malloc(size);
  }
  if (memory == nullptr) throw std::bad_alloc();
  data_.reset(static_cast<std::byte*>(memory));
}

void Buffer::Free::operator()(std::byte* memory) const { std::free(memory); }

}  // namespace symcached
