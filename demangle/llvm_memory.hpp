#pragma once
/// Memory for LLVM's demanglers of MSVC, Rust and D names, which know no bounds of their own: the build gives them
/// these functions for malloc and operator new (demangle/CMakeLists.txt), so what they take can be counted and the last
/// of it refused. Nothing they take outlives the scope.
#include <cstddef>

namespace symcached::demangle {

/// Thrown out of a demangler that asked for more than kMaxLlvmMemory, or that called abort().
struct LlvmOutOfBounds {};

inline constexpr std::size_t kMaxLlvmMemory = 8u << 20;

/// While it lives LLVM's demanglers can be called in this thread; with it goes all they took. Not within another.
class LlvmMemory {
 public:
  LlvmMemory();
  ~LlvmMemory();
  LlvmMemory(const LlvmMemory&) = delete;
  LlvmMemory& operator=(const LlvmMemory&) = delete;
};

}  // namespace symcached::demangle
