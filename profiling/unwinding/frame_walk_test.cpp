#include "profiling/unwinding/frame_walk.hpp"

#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/sanitizers.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMost = 128;
using Stack = std::array<std::uintptr_t, kMost>;

/// What libgcc finds, by the same rules about start and end.
struct Oracle {
  std::uintptr_t from;
  Stack frames;
  std::size_t count = 0;

  explicit Oracle(std::uintptr_t start) : from(start) {
    _Unwind_Backtrace([](_Unwind_Context* context,
                         void* oracle) { return static_cast<Oracle*>(oracle)->add(_Unwind_GetIP(context)); },
                      this);
  }
  _Unwind_Reason_Code add(std::uintptr_t address) {
    if (count == 0 && address != from) return _URC_NO_REASON;
    if (address == 0 || count == kMost) return _URC_NORMAL_STOP;
    frames[count++] = address;
    return _URC_NO_REASON;
  }
};

/// How walks compare. libgcc is not asked where our walk does not come to the end: it may read what cannot be read.
struct Tally {
  std::atomic<int> walks{0}, different{0}, other{0}, broken{0};

  [[gnu::noinline]] void add(const FrameWalk& own, const Stack& frames, std::uintptr_t from) {
    ++walks;
    if (own.end == FrameWalk::End::other) ++other;
    if (own.end == FrameWalk::End::broken) ++broken;
    if (own.end != FrameWalk::End::whole) return;
    const Oracle oracle(from);
    if (own.count != oracle.count || !std::equal(frames.begin(), frames.begin() + own.count, oracle.frames.begin()))
      ++different;
  }
  void begin() { walks = different = other = broken = 0; }
};
constinit Tally tally;

/// Walks the stack from its caller both ways.
[[gnu::noinline]] void compare() {
  const auto from = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  Stack frames;
  tally.add(walk_frames(own_registers(), from, frames), frames, from);
}

/// Compares on a number of stacks that work makes, each of which has to be simple.
void expect_equal(std::string_view why, const std::function<void()>& work, int least = 1) {
  prepare_frame_walks();
  tally.begin();
  work();
  work();  // by what is remembered
  EXPECT_GE(tally.walks, 2 * least) << why;
  EXPECT_EQ(tally.different, 0) << why;
  EXPECT_EQ(tally.other, 0) << why;
  EXPECT_EQ(tally.broken, 0) << why;
}

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int depth) const = 0;
};
struct Square : Shape {
  int area(int depth) const override {
    compare();
    return depth == 0 ? 1 : 1 + area(depth - 1);
  }
};

int with_space(std::size_t bytes) {
  auto* space = static_cast<volatile char*>(alloca(bytes));
  space[0] = 1;
  compare();
  return space[0];
}

int recurse(int depth) {
  if (depth == 0) return compare(), 0;
  return 1 + recurse(depth - 1);
}

struct ComparesWhenDestroyed {
  ~ComparesWhenDestroyed() { compare(); }
};

void throw_through_frames() {
  try {
    const ComparesWhenDestroyed destroyed;
    std::vector<int>().at(1);
  } catch (const std::out_of_range&) {
    compare();
  }
}

TEST(FrameWalk, FindsWhatLibgccFinds) {
  expect_equal("plain", [] { compare(); });
  expect_equal("a comparator of std::sort", [] {
    std::vector<int> numbers(40);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ranges::sort(numbers, [](int a, int b) { return compare(), (a * 7) % 41 < (b * 7) % 41; });
  });
  expect_equal("qsort, which is in another module", [] {
    std::array<int, 9> numbers{3, 2, 9, 8, 1, 0, 4, 5, 6};
    std::qsort(numbers.data(), numbers.size(), sizeof(int), [](const void* a, const void* b) {
      compare();
      return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
  });
  expect_equal("std::function", [] {
    const std::function<void(int)> inner = [](int) { compare(); };
    const std::function<void()> outer = [&] { inner(1); };
    outer();
  });
  expect_equal(
      "virtual functions",
      [] {
        const std::unique_ptr<Shape> shape = std::make_unique<Square>();
        EXPECT_EQ(shape->area(20), 21);
      },
      21);
  expect_equal(
      "alloca",
      [] {
        for (const std::size_t bytes : {1, 100, 5000, 70000}) with_space(bytes);
      },
      4);
  expect_equal("deeper than there is room", [] { EXPECT_EQ(recurse(300), 300); });
  expect_equal("exceptions", throw_through_frames, 2);
  expect_equal("another thread", [] { std::thread(compare).join(); });
  expect_equal("loading a library",
               [] { ::dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return compare(), 1; }, nullptr); });
}

TEST(FrameWalk, SaysWhereItCannotWalk) {
  using End = FrameWalk::End;
  prepare_frame_walks();
  const FrameRegisters here = own_registers();
  alignas(16) static std::array<std::uintptr_t, 64> memory{};
  const auto generated = reinterpret_cast<std::uintptr_t>(memory.data());
  struct Row {
    std::string_view why;
    FrameRegisters start;
    std::uintptr_t from;
    End end;
    std::size_t count;
  };
  const Row rows[] = {
      {"an address that is not on the stack", here, 1, End::whole, 0},
      {"no code", {0, here.sp, here.fp}, 0, End::whole, 0},
      {"code without tables", {generated, here.sp, here.fp}, generated, End::other, 1},
      {"code that is not there", {0x10, here.sp, here.fp}, 0x10, End::broken, 1},
      {"code at no address", {~std::uintptr_t{0} - 100, here.sp, here.fp}, 0x10, End::broken, 0},
      {"a stack that is not there", {here.pc, 0x10, 0x10}, here.pc, End::broken, 1},
      {"a stack that is not there, at its end", {here.pc, ~std::uintptr_t{0} - 7, 0x10}, here.pc, End::broken, 1},
  };
  for (const Row& r : rows) {
    Stack frames;
    const FrameWalk walk = walk_frames(r.start, r.from, frames);
    EXPECT_EQ(walk.end, r.end) << r.why;
    EXPECT_EQ(walk.count, r.count) << r.why;
  }
}

TEST(FrameWalk, StopsWhereThereIsNoMoreRoom) {
  prepare_frame_walks();
  Stack all;
  const FrameRegisters here = own_registers();
  const std::size_t depth = walk_frames(here, here.pc, all).count;
  ASSERT_GT(depth, 3u);
  for (std::size_t room = 1; room <= depth; ++room) {
    Stack some{};
    EXPECT_EQ(walk_frames(here, here.pc, std::span(some).first(room)).count, room);
    EXPECT_TRUE(std::equal(some.begin(), some.begin() + room, all.begin()));
  }
}

/// A library for as long as it lives.
class Library {
 public:
  explicit Library(const std::string& what)
      : handle_(::dlopen((SC_PROFILING_FRAMES + what + ".so").c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
    call_ = reinterpret_cast<Call*>(::dlsym(handle_, "sc_call_from_frame"));
  }
  ~Library() { ::dlclose(handle_); }
  void call(void (*function)()) const { call_(function); }
  const void* place() const { return reinterpret_cast<const void*>(call_); }

 private:
  using Call = void(void (*)());
  void* handle_;
  Call* call_ = nullptr;
};

TEST(FrameWalk, KnowsALibraryFromTheOneThatWasInItsPlace) {
  for (const std::string id : {"_sha1", "_none"}) {
    int same = 0;
    const void* last = nullptr;
    expect_equal("libraries with build id" + id, [&] {
      for (int i = 0; i < 20; ++i) {
        const Library library((i % 2 == 0 ? "24" : "40") + id);
        library.call(compare);
        library.call(compare);
        same += library.place() == last;
        last = library.place();
      }
    });
    EXPECT_GT(same, 0) << "none was ever loaded in place of another";
  }
}

void on_timer(int, siginfo_t*, void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  const auto value = [&](int number) { return static_cast<std::uintptr_t>(machine.gregs[number]); };
  const FrameRegisters interrupted{value(REG_RIP), value(REG_RSP), value(REG_RBP)};
  Stack frames;
  tally.add(walk_frames(interrupted, interrupted.pc, frames), frames, interrupted.pc);
}

/// A bit of everything that programs do.
std::size_t work_a_bit(std::mt19937& random) {
  std::map<std::string, std::vector<double>> map;
  for (int i = 0; i < 200; ++i) {
    std::ostringstream text;
    text << random() % 1000 << ' ' << static_cast<double>(random()) / 3;
    map[text.str()].push_back(std::sqrt(static_cast<double>(i)));
  }
  std::vector<std::string> keys;
  for (const auto& [key, values] : map) keys.push_back(key + std::to_string(values.size()));
  std::ranges::sort(keys, std::greater());
  throw_through_frames();
  ::dlsym(RTLD_DEFAULT, "no such function");
  return keys.size() + static_cast<std::size_t>(recurse(static_cast<int>(random() % 40)));
}

TEST(FrameWalk, FindsWhatLibgccFindsWhereverASignalComes) {
  prepare_frame_walks();
  tally.begin();
  struct sigaction handler{}, before{};
  handler.sa_sigaction = on_timer;
  handler.sa_flags = SA_SIGINFO | SA_RESTART;
  ASSERT_EQ(::sigaction(SIGALRM, &handler, &before), 0);
  std::mt19937 random(1);
  for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
       std::chrono::steady_clock::now() < end;) {
    const itimerval soon{{0, 50 + static_cast<int>(random() % 50)}, {0, 50}};
    ::setitimer(ITIMER_REAL, &soon, nullptr);
    for (int i = 0; i < 10; ++i) EXPECT_GT(work_a_bit(random), 0u);
  }
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_GT(tally.walks, kSanitized ? 10 : 100);
  // The thread sanitizer calls handlers later, with registers of frames that may be gone.
  if (!kThreadSanitized) {
    EXPECT_EQ(tally.different, 0) << "of " << tally.walks;
    EXPECT_LT(tally.other + tally.broken, tally.walks / 5);
  }
  RecordProperty("walks", tally.walks);
  RecordProperty("other", tally.other);
  RecordProperty("broken", tally.broken);
}

}  // namespace
}  // namespace symcached::pprof

#endif
