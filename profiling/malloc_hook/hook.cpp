/// Stands before malloc and its kin. Each call goes on to the next; one in so many bytes is remembered.
#include "profiling/sampling/hooked_heap.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SC_MALLOC_HOOK 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SC_MALLOC_HOOK 0
#endif
#ifndef SC_MALLOC_HOOK
#define SC_MALLOC_HOOK 1
#endif

#if SC_MALLOC_HOOK

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "profiling/malloc_hook/sampled_heap.hpp"
#include "profiling/sampling/next_function.hpp"
#include "profiling/sampling/stack_walk.hpp"

namespace symcached::pprof {
namespace {

constexpr std::int64_t kUsualRate = 512 * 1024;

constinit NextFunction<void*(std::size_t, std::size_t)> next_calloc{"calloc"};
constinit NextFunction<void*(void*, std::size_t)> next_realloc{"realloc"};
constinit NextFunction<int(void**, std::size_t, std::size_t)> next_posix_memalign{"posix_memalign"};
constinit NextFunction<void*(std::size_t, std::size_t)> next_aligned_alloc{"aligned_alloc"};
constinit NextFunction<void*(std::size_t, std::size_t)> next_memalign{"memalign"};

constinit SampledHeap heap;
enum class State { early, off, on };  // early: before the constructors
std::atomic<State> state{State::early};
std::atomic<std::int64_t> mean_bytes{0};
const char* why_off = "";

// With initial-exec no access allocates; these have no destructors, so they work until the thread's last free.
/// Bytes that were allocated, less those to the next sample, less 1: the carry of the sum says that it is due.
[[gnu::tls_model("initial-exec")]] thread_local std::uint64_t progress = ~std::uint64_t{0};
[[gnu::tls_model("initial-exec")]] thread_local std::uint64_t random_state = 0;
[[gnu::tls_model("initial-exec")]] thread_local bool begun = false;
[[gnu::tls_model("initial-exec")]] thread_local bool within = false;  ///< what is allocated now is ours

/// Bytes before the next one that is sampled: one in `mean` is, whatever was before.
std::uint64_t draw(std::int64_t mean) {
  if (mean <= 1) return 0;
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  const double uniform = static_cast<double>((random_state >> 11) + 1) * 0x1p-53;  // above 0, to 1
  return static_cast<std::uint64_t>(-std::log(uniform) * static_cast<double>(mean));
}

/// Inlined, as is all that can be: each frame between the caller and the walk costs the walk as much as one beyond.
[[gnu::always_inline]] inline void remember(void* pointer, std::size_t size, std::uintptr_t caller) {
  std::array<std::uintptr_t, kMaxFrames> frames;
  heap.add(pointer, size, std::span(frames).first(walk_stack(caller, frames)));
}

/// @return `pointer`
[[gnu::noinline, gnu::cold]] void* threshold_reached(void* pointer, std::size_t size, void* caller) noexcept {
  const State now = state.load(std::memory_order_acquire);
  if (now != State::on || within) {
    progress = now == State::off ? 0 : ~std::uint64_t{0};
    return pointer;
  }
  const int error = errno;
  within = true;
  const std::int64_t mean = mean_bytes.load(std::memory_order_relaxed);
  bool due = true;
  if (!begun) {  // what was counted so far was to no threshold
    begun = true;
    random_state = reinterpret_cast<std::uintptr_t>(&random_state) * 0x9e3779b97f4a7c15 | 1;
    due = !__builtin_sub_overflow(progress, draw(mean), &progress);
  }
  if (due) {
    remember(pointer, size, reinterpret_cast<std::uintptr_t>(caller));
    progress = ~draw(mean);
  }
  within = false;
  errno = error;
  return pointer;
}

/// Counts bytes that are about to be allocated. @return whether to call threshold_reached with what comes of it
[[gnu::always_inline]] inline bool count(std::size_t size) noexcept {
  progress += size;
  return __builtin_expect(progress < size, 0);
}

/// Counts what was allocated. @return `pointer`
[[gnu::always_inline]] inline void* counted(void* pointer, std::size_t size, void* caller) noexcept {
  return pointer != nullptr && count(size) ? threshold_reached(pointer, size, caller) : pointer;
}

/// Memory for what the search for the next functions might allocate. Never freed. The heap's filter knows it, so that
/// free looks here only where it has to.
class EarlyMemory {
 public:
  void* give(std::size_t size) noexcept {
    if (size > bytes_.size()) return nullptr;
    size = std::max<std::size_t>(16, (size + 15) & ~std::size_t{15});
    const std::size_t at = used_.fetch_add(size, std::memory_order_relaxed);
    if (at > bytes_.size() - size) return nullptr;
    heap.mark(bytes_.data() + at);
    return bytes_.data() + at;
  }
  bool has(const void* pointer) const noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(bytes_.data()) < bytes_.size();
  }
  /// At most what is behind `pointer` to the end.
  std::size_t size_at(const void* pointer) const noexcept {
    return static_cast<std::size_t>(bytes_.data() + bytes_.size() - static_cast<const std::byte*>(pointer));
  }

 private:
  alignas(16) std::array<std::byte, 8192> bytes_{};
  std::atomic<std::size_t> used_{0};
};
constinit EarlyMemory early;
[[gnu::tls_model("initial-exec")]] thread_local bool searching = false;

/// The next function; null while this thread is within the search for one.
template <class Function>
[[gnu::always_inline]] inline Function* found(NextFunction<Function>& function) noexcept {
  if (__builtin_expect(function.known() != nullptr, 1)) return function.known();
  if (searching) return nullptr;
  searching = true;
  Function* next = function.get();
  searching = false;
  return next;
}

// The two that matter for speed are called without a look whether they are known: at first they are these.
void* first_malloc(std::size_t size) noexcept;
void first_free(void* pointer) noexcept;
// noexcept, for the compiler to jump to them.
using Malloc = void* (*)(std::size_t) noexcept;
using Free = void (*)(void*) noexcept;
constinit std::atomic<Malloc> next_malloc{first_malloc};
constinit std::atomic<Free> next_free{first_free};

void* first_malloc(std::size_t size) noexcept {
  static constinit NextFunction<void*(std::size_t) noexcept> function{"malloc"};
  const auto next = found(function);
  if (next == nullptr) return early.give(size);
  next_malloc.store(next, std::memory_order_relaxed);
  return next(size);
}

void first_free(void* pointer) noexcept {
  static constinit NextFunction<void(void*) noexcept> function{"free"};
  const auto next = found(function);
  if (next == nullptr) return;
  next_free.store(next, std::memory_order_relaxed);
  next(pointer);
}

/// malloc when a sample is due. Not in malloc itself, which then needs no stack of its own.
[[gnu::noinline, gnu::cold]] void* malloc_sampled(std::size_t size, void* caller) noexcept {
  void* pointer = next_malloc.load(std::memory_order_relaxed)(size);
  if (pointer != nullptr) return threshold_reached(pointer, size, caller);
  progress -= size;  // which was too much: not counted
  return nullptr;
}

[[gnu::noinline, gnu::cold]] void free_sampled(void* pointer) noexcept {
  heap.take(pointer);
  if (!early.has(pointer)) next_free.load(std::memory_order_relaxed)(pointer);
}

/// realloc of memory that may be one of the sampled.
void* reallocate(void* old, std::size_t size) noexcept {
  if (old == nullptr || !heap.may_have(old)) return next_realloc.get()(old, size);
  // Before it is freed: another thread may be given the address, and sample it, at once.
  const auto taken = heap.take(old);
  void* pointer = next_realloc.get()(old, size);
  if (taken && pointer == nullptr && size != 0) heap.put_back(*taken);
  return pointer;
}

std::int64_t wanted_rate() {
  const char* text = std::getenv("SYMCACHED_PPROF_HEAP_RATE");
  if (text == nullptr) return kUsualRate;
  std::int64_t rate = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, rate);
  return read.ec == std::errc{} && read.ptr == end && rate >= 0 ? rate : kUsualRate;
}

const char* reason_to_be_off(std::int64_t rate) {
  if (rate == 0) return "SYMCACHED_PPROF_HEAP_RATE is 0";
  if (!unwinder_problem().empty()) return unwinder_problem().c_str();
  for (const char* name : {"__asan_init", "__tsan_init", "__msan_init"})
    if (::dlsym(RTLD_DEFAULT, name) != nullptr) return "the program runs under a sanitizer, which has its own malloc";
  return "";
}

void lock_heap() {
  within = true;
  heap.lock().lock();
}

void unlock_heap() {
  heap.lock().unlock();
  within = false;
}

[[gnu::constructor]] void begin() {
  const std::int64_t rate = wanted_rate();
  why_off = reason_to_be_off(rate);
  mean_bytes = rate;
  if (*why_off == '\0') ::pthread_atfork(lock_heap, unlock_heap, unlock_heap);
  state.store(*why_off == '\0' ? State::on : State::off, std::memory_order_release);
}

}  // namespace

HookedHeap hooked_heap() {
  HookedHeap out{.off = why_off, .rate = std::max<std::int64_t>(1, mean_bytes)};
  if (out.off.empty()) out.samples = heap.samples();
  out.lost = heap.lost();
  return out;
}

}  // namespace symcached::pprof

using namespace symcached::pprof;  // NOLINT(google-build-using-namespace)

#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t size) noexcept {
  if (count(size)) return malloc_sampled(size, __builtin_return_address(0));
  return next_malloc.load(std::memory_order_relaxed)(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  const auto next = found(next_calloc);
  if (next == nullptr) return size != 0 && count > SIZE_MAX / size ? nullptr : early.give(count * size);
  return counted(next(count, size), count * size, __builtin_return_address(0));
}

void* realloc(void* old, std::size_t size) noexcept {
  if (__builtin_expect(early.has(old), 0)) {
    void* pointer = malloc(size);
    if (pointer != nullptr) std::memcpy(pointer, old, std::min(size, early.size_at(old)));
    return pointer;
  }
  if (found(next_realloc) == nullptr) return nullptr;
  return counted(reallocate(old, size), size, __builtin_return_address(0));
}

void free(void* pointer) noexcept {
  if (__builtin_expect(heap.may_have(pointer), 0)) return free_sampled(pointer);
  next_free.load(std::memory_order_relaxed)(pointer);
}

int posix_memalign(void** pointer, std::size_t alignment, std::size_t size) noexcept {
  const int result = next_posix_memalign.get()(pointer, alignment, size);
  if (result == 0) counted(*pointer, size, __builtin_return_address(0));
  return result;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return counted(next_aligned_alloc.get()(alignment, size), size, __builtin_return_address(0));
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return counted(next_memalign.get()(alignment, size), size, __builtin_return_address(0));
}

}  // extern "C"
#pragma GCC visibility pop

#else

namespace symcached::pprof {

HookedHeap hooked_heap() { return {.off = "the program is built with a sanitizer, which has its own malloc"}; }

}  // namespace symcached::pprof

#endif
