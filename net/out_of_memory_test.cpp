#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "testing/server/server_fixture.hpp"

namespace {

thread_local bool spared = false;             ///< the thread of the tests is; those of the server are not
std::atomic<std::int64_t> until_failure{-1};  ///< allocations that still succeed; negative: all do

bool fails() { return !spared && until_failure >= 0 && until_failure-- == 0; }

}  // namespace

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SC_NEW_IS_TAKEN  // TSan has operators of its own that cannot be replaced; Asio's memory remains
#endif
#endif

#ifndef SC_NEW_IS_TAKEN
// Not inlined, as compilers would see a pointer of new given to free().
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif

/// Asio takes memory for coroutines and their waits from here.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  void* memory = nullptr;
  if (fails()) return nullptr;
  return ::posix_memalign(&memory, std::max(alignment, sizeof(void*)), size) == 0 ? memory : nullptr;
}

namespace symcached::net {
namespace {

using OutOfMemory = ServerFixture;

TEST_F(OutOfMemory, AFailedAllocationCostsItsConnectionAtMost) {
  spared = true;
  constexpr int kMost = 200;
  int met = 0;
  for (int n = 0; n < kMost; ++n) {
    until_failure = n;
    {
      HttpPeer peer(port());
      peer.ask("GET", "/small", "Range: bytes=0-99\r\n");
      peer.ask("POST", "/echo", "Content-Length: 2000\r\n");
      peer.say(std::string(2000, 'b'));
      peer.ask("GET", "/big", "Range: bytes=0-999999\r\nConnection: close\r\n");
      for (int i = 0; i < 3; ++i) peer.hear();
      EXPECT_TRUE(peer.at_end()) << n;
    }
    met += until_failure.exchange(-1) < 0;
    expect_alive("allocation " + std::to_string(n));
  }
  expect_unharmed("failed allocations");
  EXPECT_GT(met, 5);      // otherwise nothing was tested
  EXPECT_LT(met, kMost);  // otherwise not all of them were
}

}  // namespace
}  // namespace symcached::net
