#pragma once
/// The C library's functions that ours stand before.
#include <dlfcn.h>

#include <atomic>

namespace symcached::pprof {

/// The function of that name that would be called if ours did not exist. It is looked up once; the search allocates
/// nothing where it succeeds. Static programs have no next function: what is called there is given. Meant as a static
/// variable, constant-initialised.
template <class Function>
class NextFunction {
 public:
  constexpr explicit NextFunction(const char* name, Function* in_static_programs = nullptr)
      : name_(name), in_static_programs_(in_static_programs) {}

  Function* get() noexcept {
    Function* function = known();
    return __builtin_expect(function != nullptr, 1) ? function : find();
  }
  /// Null until it was looked up.
  Function* known() const noexcept { return found_.load(std::memory_order_relaxed); }

 private:
  [[gnu::noinline, gnu::cold]] Function* find() noexcept {
    auto* found = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
    if (found == nullptr) found = in_static_programs_;
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

  const char* name_;
  Function* in_static_programs_;
  std::atomic<Function*> found_{nullptr};
};

}  // namespace symcached::pprof
