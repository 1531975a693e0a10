#include "demangle/llvm_memory.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <vector>

namespace symcached::demangle {
namespace {

constexpr std::size_t kAlign = 16;  ///< also the size of the head of each piece, which holds the size of the rest
constexpr std::size_t kFirstBlock = 64u << 10;

/// Hands out memory from the front of blocks; gives all of it back at once. The first block stays for the next name.
class Arena {
 public:
  void* take(std::size_t size) {
    if (size > kMaxLlvmMemory) throw LlvmOutOfBounds{};
    size = (size + kAlign - 1) / kAlign * kAlign + kAlign;
    if (size > left_) more(size);
    last_ = next_ + kAlign;
    const std::size_t rest = size - kAlign;
    std::memcpy(next_, &rest, sizeof rest);
    next_ += size;
    left_ -= size;
    return last_;
  }

  void* resize(void* piece, std::size_t size) {
    if (piece == nullptr) return take(size);
    std::size_t old = 0;
    std::memcpy(&old, static_cast<std::byte*>(piece) - kAlign, sizeof old);
    if (size <= old) return piece;
    if (piece == last_) {  // the text that is being written, mostly: grow it where it is
      const std::size_t more = (size - old + kAlign - 1) / kAlign * kAlign;
      if (more <= left_) {
        next_ += more;
        left_ -= more;
        old += more;
        std::memcpy(last_ - kAlign, &old, sizeof old);
        return piece;
      }
    }
    void* const moved = take(size);
    std::memcpy(moved, piece, old);
    return moved;
  }

  void reset() {
    further_.clear();
    taken_ = kFirstBlock;
    next_ = first_.get();
    last_ = nullptr;
    left_ = kFirstBlock;
  }

  bool in_use = false;

 private:
  void more(std::size_t size) {
    const std::size_t block = std::max(size, kFirstBlock);
    if (block > kMaxLlvmMemory - taken_) throw LlvmOutOfBounds{};
    further_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
    taken_ += block;
    next_ = further_.back().get();
    left_ = block;
  }

  std::unique_ptr<std::byte[]> first_ = std::make_unique_for_overwrite<std::byte[]>(kFirstBlock);
  std::vector<std::unique_ptr<std::byte[]>> further_;
  std::size_t taken_ = kFirstBlock, left_ = kFirstBlock;
  std::byte* next_ = first_.get();
  std::byte* last_ = nullptr;
};

Arena& arena() {
  thread_local Arena arena;
  return arena;
}

}  // namespace

LlvmMemory::LlvmMemory() {
  assert(!arena().in_use);
  arena().in_use = true;
}

LlvmMemory::~LlvmMemory() {
  arena().reset();
  arena().in_use = false;
}

}  // namespace symcached::demangle

// What the build puts in place of malloc, realloc, free, abort, operator new and delete, new[] and delete[].
extern "C" {
void* symcached_demangle_malloc(std::size_t size);
void* symcached_demangle_realloc(void* piece, std::size_t size);
void symcached_demangle_free(void* piece);
[[noreturn]] void symcached_demangle_abort();
void* symcached_demangle_new(std::size_t size);
void symcached_demangle_delete(void* piece, std::size_t size);
void* symcached_demangle_new_array(std::size_t size);
void symcached_demangle_delete_array(void* piece);
}

void* symcached_demangle_malloc(std::size_t size) { return symcached::demangle::arena().take(size); }
void* symcached_demangle_realloc(void* piece, std::size_t size) {
  return symcached::demangle::arena().resize(piece, size);
}
void symcached_demangle_free(void*) {}
void symcached_demangle_abort() { throw symcached::demangle::LlvmOutOfBounds{}; }
void* symcached_demangle_new(std::size_t size) { return symcached_demangle_malloc(size); }
void symcached_demangle_delete(void*, std::size_t) {}
void* symcached_demangle_new_array(std::size_t size) { return symcached_demangle_malloc(size); }
void symcached_demangle_delete_array(void*) {}
