#include "profiling/unwinding/stack_memory.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace symcached::pprof {
namespace {

constexpr std::uintptr_t kNear = 16;  ///< pages
constexpr unsigned kCountBits = 20;
constexpr std::uintptr_t kMaxCount = (std::uintptr_t{1} << kCountBits) - 1;

/// Number of the first page, and how many there are. One word, as a signal handler may change it at any time.
[[gnu::tls_model("initial-exec")]] thread_local std::uint64_t known_pages = 0;

}  // namespace

bool is_readable(std::uintptr_t address) noexcept {
  constexpr int kNoSuchOperation = -1;  // refused in any case, with EFAULT where the set cannot be read
  constexpr std::size_t kSetBytes = 8;
  const int error = errno;
  const std::uintptr_t set = address & ~(kSetBytes - 1);
  const long result = ::syscall(SYS_rt_sigprocmask, kNoSuchOperation, set, nullptr, kSetBytes);
  const bool is_bad = set == 0 || (result != 0 && errno == EFAULT);
  errno = error;
  return !is_bad;
}

StackMemory::StackMemory() noexcept : first_(known_pages >> kCountBits), count_(known_pages & kMaxCount) {}

StackMemory::~StackMemory() { known_pages = std::uint64_t{first_} << kCountBits | count_; }

bool StackMemory::add_page(std::uintptr_t page) noexcept {
  if (count_ == 0 || count_ + kNear > kMaxCount || page + kNear < first_ || page > first_ + count_ + kNear) {
    if (!is_readable(page * kPage)) return false;
    first_ = page;
    count_ = 1;
    return true;
  }
  for (; page < first_; --first_, ++count_)
    if (!is_readable((first_ - 1) * kPage)) return false;
  for (; page >= first_ + count_; ++count_)
    if (!is_readable((first_ + count_) * kPage)) return false;
  return true;
}

}  // namespace symcached::pprof
